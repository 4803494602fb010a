"""The course around the library: the learner's working folder, JupyterLab, what this machine can do."""
