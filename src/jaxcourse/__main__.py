"""``python -m jaxcourse`` is the command ``jaxcourse``."""

from jaxcourse.cli import main

raise SystemExit(main())
