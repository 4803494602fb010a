"""Run notebooks in a kernel of this very Python, whatever kernels the machine has."""

import logging
import subprocess
from contextlib import contextmanager
from pathlib import Path

from ipykernel.kernelspec import RESOURCES, get_kernel_dict
from jupyter_client import AsyncKernelManager
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from nbclient import NotebookClient

MOST_OUTPUTS = 1000  # of one cell; a loop that prints must not fill the memory


class ThisPython(KernelSpecManager):
    """Knows one kernel, and gives it for every name."""

    def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
        return KernelSpec(resource_dir=RESOURCES, **get_kernel_dict())


class Client(NotebookClient):
    """nbclient, with an end to what a cell may put out."""

    def output(self, outs, msg, display_id, cell_index):
        if len(outs) < MOST_OUTPUTS:
            return super().output(outs, msg, display_id, cell_index)
        return None


@contextmanager
def kernel(notebook, folder: Path, seconds: float, **options):
    """A client with its kernel started in `folder`; each cell has so many seconds. The kernel ends with the block."""
    log = logging.getLogger("cutelearn.notebook")
    log.addHandler(logging.NullHandler())
    log.propagate = False
    client = Client(
        notebook,
        km=AsyncKernelManager(kernel_spec_manager=ThisPython()),
        timeout=seconds,
        record_timing=False,
        resources={"metadata": {"path": str(folder)}},
        log=log,
        **options,
    )
    with client.setup_kernel(cleanup_kc=True, stderr=subprocess.DEVNULL):  # else the kernel outlives the block
        yield client
