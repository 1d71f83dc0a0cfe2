"""The kernel of one notebook: nbval's, with an environment, strict warnings, and notice of its death."""

import os
import signal
import time
from queue import Empty

from nbval.kernel import CURRENT_ENV_KERNEL_NAME, RunningKernel, start_new_kernel

# How often a silent kernel is looked at. A message wakes the waiting side at once, so this costs nothing.
_POLL_S = 1.0

# Runs inside the kernel, in a namespace of its own, so that it leaves no names to the lesson.
_SET_WARNINGS = """exec('''
import warnings
for module in (r"__main__$", r"jaxcourse(\\\\..*)?$"):
    warnings.filterwarnings("{action}", module=module)
''', {{}})"""


class KernelDiedError(Exception):
    """The kernel's process ended while a cell ran; the message says how."""


class LessonKernel(RunningKernel):
    """A fresh Python kernel of the running environment, in which warnings from lesson code are errors.

    Every method that waits for the kernel raises KernelDiedError soon after the kernel's process ends.
    """

    def __init__(self, *, cwd: str, env: dict[str, str], startup_timeout: float):
        self.km, self.kc = start_new_kernel(
            startup_timeout=startup_timeout,
            kernel_name=CURRENT_ENV_KERNEL_NAME,
            # ipykernel sends what is written to stderr as messages; what reaches the terminal is noise.
            stderr=os.open(os.devnull, os.O_WRONLY),
            cwd=cwd,
            env=env,
        )
        self._ensure_iopub_up()
        self.set_warnings("error")

    @property
    def running(self) -> bool:
        """Whether stop() has yet to be called: a dead kernel, too, has channels and files to give back."""
        return hasattr(self, "km")

    def set_warnings(self, action: str) -> None:
        """Treat warnings attributed to the lesson's cells or to jaxcourse by `action` from now on."""
        msg_id = self.kc.execute(_SET_WARNINGS.format(action=action), silent=True)
        self.await_reply(msg_id, timeout=30)

    def evaluate(self, expression: str) -> str:
        """Return what Python shows for `expression` in the kernel, without a trace in the lesson."""
        msg_id = self.kc.execute("", silent=True, user_expressions={"value": expression})
        while True:
            reply = self.get_message("shell", timeout=30)
            if reply["parent_header"].get("msg_id") == msg_id:
                value = reply["content"]["user_expressions"]["value"]
                return value["data"]["text/plain"] if value["status"] == "ok" else value["evalue"]

    def get_message(self, stream, timeout=None):
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            patience = _POLL_S if deadline is None else min(_POLL_S, max(0.0, deadline - time.monotonic()))
            try:
                return super().get_message(stream, timeout=patience)
            except Empty:
                if not self.is_alive():
                    raise KernelDiedError(self._how_it_ended()) from None
                if deadline is not None and time.monotonic() >= deadline:
                    raise

    def last_words(self) -> str:
        """Return what a dead kernel still wrote to its streams."""
        words = []
        try:
            while True:
                message = super().get_message("iopub", timeout=0.2)
                if message["msg_type"] == "stream":
                    words.append(message["content"]["text"])
        except Empty:
            return "".join(words)

    def _how_it_ended(self) -> str:
        process = getattr(self.km.provisioner, "process", None)
        code = getattr(process, "returncode", None)
        if code is None:
            return "its process is gone"
        return signal.Signals(-code).name if code < 0 else f"exit status {code}"
