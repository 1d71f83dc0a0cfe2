"""What `import jaxcourse` costs beyond `import numpy`: whole processes, in turn, medians. Goal: under 0.3 s."""

import argparse
import statistics
import subprocess
import sys
import time


def seconds(code: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True)
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=15, help="processes of each kind (default: 15)")
    runs = parser.parse_args().runs
    alone: list[float] = []
    beside: list[float] = []
    for _ in range(runs):
        alone.append(seconds("import numpy"))
        beside.append(seconds("import numpy, jaxcourse"))
    added = statistics.median(b - a for a, b in zip(alone, beside, strict=True))
    print(f"import numpy             {statistics.median(alone):.3f} s (median of {runs})")
    print(f"import numpy, jaxcourse  {statistics.median(beside):.3f} s")
    print(f"added                    {added:.3f} s, {added / statistics.median(alone):.2f} of import numpy")


if __name__ == "__main__":
    main()
