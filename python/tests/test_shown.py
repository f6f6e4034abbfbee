"""What a notebook shows of a release, opened in a browser on a light and on a dark page."""

from __future__ import annotations

import shutil
import struct
import subprocess
import zlib
from pathlib import Path

import pytest

import throng

BROWSER = shutil.which("chromium") or shutil.which("google-chrome")


def _luminances(png: bytes) -> list[float]:
    """How bright each pixel of a screenshot is, from 0 to 1; without interlacing, as Chromium writes them."""
    width, height, depth, colours = struct.unpack(">IIBB", png[16:26])
    channels = {2: 3, 6: 4}[colours]
    assert depth == 8
    data, at = b"", 8
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        if png[at + 4 : at + 8] == b"IDAT":
            data += png[at + 8 : at + 8 + length]
        at += 12 + length
    raw, stride = zlib.decompress(data), width * channels
    above, found = bytearray(stride), []
    for row in range(height):
        sort, line = raw[row * (stride + 1)], bytearray(raw[row * (stride + 1) + 1 : (row + 1) * (stride + 1)])
        for at in range(stride):
            left = line[at - channels] if at >= channels else 0
            up, corner = above[at], above[at - channels] if at >= channels else 0
            guess = left + up - corner
            paeth = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))[2]
            line[at] = (line[at] + (0, left, up, (left + up) // 2, paeth)[sort]) & 0xFF
        found += [sum(line[at : at + 3]) / 765 for at in range(0, stride, channels)]
        above = line
    return found


@pytest.mark.skipif(BROWSER is None, reason="there is no Chromium: nothing was opened")
@pytest.mark.parametrize(("text", "page"), [("#111", "#fff"), ("#eee", "#111")])
def test_it_can_be_read_on_light_and_dark_pages(release: throng.Release, tmp_path: Path, text: str, page: str) -> None:
    shown = release._repr_html_()
    assert "http" not in shown and "<script" not in shown and "src=" not in shown
    body = f'<body style="margin:9px;color:{text};background:{page}">{shown}</body>'
    (tmp_path / "page.html").write_text(body, encoding="utf-8")
    picture = tmp_path / "page.png"
    quiet = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"]
    arguments = [*quiet, f"--user-data-dir={tmp_path / 'browser'}", "--window-size=500,220", f"--screenshot={picture}"]
    subprocess.run([str(BROWSER), *arguments, (tmp_path / "page.html").as_uri()], check=True, capture_output=True, timeout=120)
    bright = _luminances(picture.read_bytes())
    usual = sorted(bright)[len(bright) // 2]
    assert abs(usual - (1 if page == "#fff" else 0.07)) < 0.1
    # Enough pixels are letters that stand out: nothing is drawn in the colour of the page.
    letters = sum(abs(own - usual) > 0.6 for own in bright)
    assert letters > len(bright) * 0.01, letters
