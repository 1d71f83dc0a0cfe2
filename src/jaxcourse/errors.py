"""Errors that are a user's to mend: one sentence, no traceback."""


class UserError(Exception):
    """What was wrong, where, and what to do about it, in one sentence.

    IPython shows the sentence alone; the command line prints it and exits with status 2.
    """

    def _render_traceback_(self) -> list[str]:
        return [f"{type(self).__name__}: {self}"]
