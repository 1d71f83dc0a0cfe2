"""The command ``jaxcourse``: each subcommand is a thin line over one function."""

import argparse
import json
import sys
from pathlib import Path

from jaxcourse.errors import UserError


def main(argv: list[str] | None = None) -> int:
    """Run the command; returns the exit status: 0 done, 1 a finding, 2 a user's mistake."""
    parser = _parser()
    args = parser.parse_args(argv)
    try:
        return args.run(args)
    except UserError as e:
        print(f"jaxcourse {args.command}: {e}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"jaxcourse {args.command}: interrupted; what was finished is kept.", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="jaxcourse", description="The tools of JAX by Doing, the executable book on JAX."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    doctor = commands.add_parser(
        "doctor", help="say what this machine has for the lessons, and what is missing"
    )
    doctor.add_argument("--json", action="store_true", help="print the findings as JSON")
    doctor.set_defaults(run=_doctor)

    book = commands.add_parser("book", help="execute the lessons and build the website")
    _add_root(book)
    book.add_argument(
        "--jobs",
        type=_positive,
        metavar="N",
        help="notebooks executed at once (default: the number of cores)",
    )
    book.add_argument("--strict", action="store_true", help="rebuild every page and fail on any warning")
    book.set_defaults(run=_book)

    notebooks = commands.add_parser(
        "notebooks",
        help="write Colab-ready .ipynb files of lessons and exercises",
        epilog="example: jaxcourse notebooks build/notebooks",
    )
    notebooks.add_argument(
        "directory", type=Path, metavar="DIR", help="where to write; made when it is not there"
    )
    _add_root(notebooks)
    notebooks.set_defaults(run=_notebooks)

    exercises = commands.add_parser("exercises", help="write exercises/ from solutions/")
    exercises.add_argument(
        "--check",
        action="store_true",
        help="write nothing; list what is out of step, and exit with 1 if anything is",
    )
    _add_root(exercises)
    exercises.set_defaults(run=_exercises)
    return parser


def _add_root(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--root", type=Path, default=Path(), metavar="DIR", help="the book's root (default: this directory)"
    )


def _positive(text: str) -> int:
    value = int(text) if text.isdigit() else 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of 1 or more")
    return value


def _root_of(args: argparse.Namespace) -> Path:
    root = args.root.resolve()
    if not (root / "_config.yml").is_file():
        raise UserError(
            f"{root} is not the book: there is no _config.yml in it. Go to the repository, or name it with --root."
        )
    return root


def _doctor(args: argparse.Namespace) -> int:
    from jaxcourse.doctor import examine, report

    findings = examine()
    print(json.dumps(findings, indent=2) if args.json else report(findings))
    return 1 if findings["problems"] else 0


def _book(args: argparse.Namespace) -> int:
    from jaxcourse.publishing import building

    page = building.build(_root_of(args), jobs=args.jobs, strict=args.strict)
    print(f"The book is built. Open {page.as_uri()} in a browser.")
    return 0


def _notebooks(args: argparse.Namespace) -> int:
    from jaxcourse.publishing import notebooks

    written = notebooks.write(_root_of(args), args.directory)
    print(f"{len(written)} notebooks written to {args.directory}.")
    return 0


def _exercises(args: argparse.Namespace) -> int:
    from jaxcourse.publishing import exercises

    root = _root_of(args)
    if args.check:
        stale = exercises.check(root)
        print("\n".join(stale) if stale else "exercises/ is in step with solutions/.")
        return 1 if stale else 0
    for path in exercises.write(root):
        print(path.relative_to(root))
    return 0
