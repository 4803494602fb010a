"""GEMM problems for the stages: random matrices in every order, inside of larger ones whose rest is NaN, and what is right."""

from dataclasses import dataclass

import numpy as np

LETTERS = ("NT", "TN", "NN", "TT")


@dataclass
class Problem:
    """A (M, K), B (N, K), C (M, N); each a view of memory with `pad` places more in every column (or row) than it needs."""

    M: int
    N: int
    K: int
    transposes: str = "NT"
    alpha: float = 1.0
    beta: float = 0.0
    pad: int = 0
    c_by_rows: bool = False

    def __post_init__(self):
        random = np.random.default_rng(hash((self.M, self.N, self.K, self.pad)) % 2**32)
        self.A = self._matrix(random, self.M, self.K, self.transposes[0] == "N")
        self.B = self._matrix(random, self.N, self.K, self.transposes[1] == "T")
        self.C = self._matrix(random, self.M, self.N, not self.c_by_rows)
        if self.beta:
            self.want = self.alpha * self.product() + self.beta * self.C.astype(float)
        else:
            self.want = self.alpha * self.product()
            self.C[...] = np.nan  # must not be read

    def product(self):
        return self.A.astype(float) @ self.B.astype(float).T

    def _matrix(self, random, rows, columns, along_first):
        if along_first:
            return self._matrix(random, columns, rows, False).T
        whole = np.full((rows, columns + self.pad), np.nan, np.float32)
        whole[:, :columns] = random.uniform(-1, 1, (rows, columns))
        return whole[:, :columns]

    @staticmethod
    def memory(x):
        """All memory of a matrix, as one row of elements."""
        return x.base.reshape(-1)

    @staticmethod
    def ld(x):
        return x.base.shape[1]

    def check(self):
        """C is right, and the memory beside C is as it was."""
        np.testing.assert_allclose(self.C, self.want, rtol=1e-5, atol=1e-5 * max(1, self.K) ** 0.5)
        if self.pad:
            assert np.isnan(self.C.base[:, self.C.base.shape[1] - self.pad :]).all(), "written beside C"
