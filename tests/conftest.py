"""Tests of the package run on eight simulated CPU devices; only lessons choose with --device."""

import os

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["JAX_NUM_CPU_DEVICES"] = "8"
# As in jaxcourse.devices: more threads than devices, so that collectives cannot deadlock.
os.environ.setdefault("PJRT_NPROC", "16")
os.environ["MPLBACKEND"] = "agg"
