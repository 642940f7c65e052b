#!/usr/bin/env python3
"""Checks pages that --explain-html writes: well-formed, nothing from outside,
every picture titled, every shape with finite coordinates inside its picture.

    check_explain_page.py PAGE...

Prints every offence; exit status 1 if there is one.
"""

import math
import re
import sys
import xml.etree.ElementTree as ElementTree

# Less than any letter of the pictures is wide, so that a text that is found to
# stick out does.
LETTER = 4.5
# Lines are drawn around the edges of shapes.
TOLERANCE = 1.0


def local_name(element):
    return element.tag.rsplit("}", 1)[-1]


def number(element, name):
    """The attribute as a finite number."""
    text = element.get(name)
    if text is None:
        raise ValueError(f"<{local_name(element)}> has no '{name}'")
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"<{local_name(element)}> has {name}=\"{text}\"")
    return value


def text_extent(element):
    """The box of a text: of no height, and turned with it."""
    x, y = number(element, "x"), number(element, "y")
    width = LETTER * len(element.text or "")
    left = {None: 0, "middle": -width / 2, "end": -width}[
        element.get("text-anchor")]
    turn = re.match(r"rotate\(([-\d.]+) ", element.get("transform", ""))
    angle = math.radians(float(turn.group(1))) if turn else 0
    return [(x + at * math.cos(angle), y + at * math.sin(angle))
            for at in (left, left + width)]


def extent(element):
    """Points that a shape lies between; none for an element that is no
    shape."""
    name = local_name(element)
    if name == "rect":
        x, y = number(element, "x"), number(element, "y")
        width, height = number(element, "width"), number(element, "height")
        if width <= 0 or height <= 0:
            raise ValueError(f"<rect> of {width} x {height}")
        return [(x, y), (x + width, y + height)]
    if name == "circle":
        x, y, r = (number(element, key) for key in ("cx", "cy", "r"))
        return [(x - r, y - r), (x + r, y + r)]
    if name == "line":
        return [(number(element, f"x{i}"), number(element, f"y{i}"))
                for i in (1, 2)]
    if name == "polyline":
        points = [tuple(map(float, point.split(",")))
                  for point in element.get("points").split()]
        if not all(math.isfinite(part) for point in points for part in point):
            raise ValueError(f"<polyline> of {points}")
        return points
    if name == "text":
        return text_extent(element)
    if name in ("svg", "title", "desc"):
        return []
    raise ValueError(f"<{name}> is unknown to this check")


def check_picture(picture, ids):
    """Offences of one <svg>."""
    names = [local_name(child) for child in picture]
    if names[:2] != ["title", "desc"]:
        yield "a picture does not begin with its title and description"
    for target in picture.get("aria-labelledby", "?").split():
        if target not in ids:
            yield f"a picture is labelled by '{target}', which is not there"
    left, top, width, height = map(float, picture.get("viewBox").split())
    for element in picture.iter():
        try:
            points = extent(element)
        except ValueError as error:
            yield str(error)
            continue
        for x, y in points:
            if not (left - TOLERANCE <= x <= left + width + TOLERANCE and
                    top - TOLERANCE <= y <= top + height + TOLERANCE):
                yield (f"<{local_name(element)}> '{element.text or ''}' at "
                       f"{x:.1f},{y:.1f} is outside {width} x {height}")


def check_page(text):
    """Offences of a page."""
    root = ElementTree.fromstring(text)
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    for repeated in {name for name in ids if ids.count(name) > 1}:
        yield f"the id '{repeated}' is there more than once"
    for element in root.iter():
        if local_name(element) in ("script", "link", "iframe", "img"):
            yield f"<{local_name(element)}> is not self-contained"
        for name, value in element.attrib.items():
            if name in ("href", "src") and not value.startswith("#"):
                yield f"{name}=\"{value}\" refers to something outside"
            elif name == "href" and value[1:] not in ids:
                yield f"{name}=\"{value}\" leads nowhere"
    for style in root.iter("style"):
        for outside in re.findall(r"url\(|@import|https?:", style.text or ""):
            yield f"the style sheet refers to something outside: {outside}"
    pictures = list(root.iter("svg"))
    if not pictures:
        yield "there is no picture"
    for picture in pictures:
        yield from check_picture(picture, ids)


def main(paths):
    status = 0
    for path in paths:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        try:
            offences = list(check_page(text))
        except ElementTree.ParseError as error:
            offences = [f"not well-formed: {error}"]
        for offence in offences:
            print(f"{path}: {offence}")
            status = 1
        if not offences:
            print(f"{path}: {text.count('<svg ')} pictures, all well")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) if len(sys.argv) > 1 else __doc__)
