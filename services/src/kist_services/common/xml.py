"""XML that strangers send: read without document types or entities, and element by element."""

from __future__ import annotations

import binascii
from collections.abc import Collection
from xml.etree import ElementTree as ET

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from . import base64
from .problems import Problem


def parse(body: bytes) -> ET.Element:
    """
    Raises:
        Problem: it is not well-formed, or has a document type.
    """
    try:
        root: ET.Element = fromstring(body, forbid_dtd=True)
        return root
    except DefusedXmlException:
        raise Problem(400, "document types and entities are not accepted") from None
    except (ET.ParseError, ValueError, LookupError) as error:
        where = f" at line {error.position[0]}, column {error.position[1]}" if isinstance(error, ET.ParseError) else ""
        raise Problem(400, f"not well-formed XML{where}") from None


def children(element: ET.Element, namespace: str, required: Collection[str], optional: Collection[str] = ()) -> dict[str, ET.Element]:
    """The children by name: each of the required ones, none that is not expected, and none twice."""
    where = local(element)
    found: dict[str, ET.Element] = {}
    for child in element:
        name = local(child)
        if child.tag != f"{{{namespace}}}{name}" or name not in {*required, *optional} or name in found:
            raise Problem(400, f"{where} has an element that is not expected there, is there twice, or is of another namespace")
        found[name] = child
    for name in required:
        if name not in found:
            raise Problem(400, f"{where} has no {name}")
    return found


def local(element: ET.Element) -> str:
    return str(element.tag).rpartition("}")[2]


def text(element: ET.Element) -> str:
    """The text without white space at either end."""
    if len(element):
        raise Problem(400, f"{local(element)} has elements in place of text")
    return (element.text or "").strip(" \t\r\n")


def octets(element: ET.Element) -> bytes:
    """Base64, with white space anywhere."""
    letters = "".join(text(element).split())
    if not letters:
        raise Problem(400, f"{local(element)} is not base64")
    try:
        return base64.decode(letters)
    except ValueError as error:
        raise Problem(400, f"{local(element)} {error}") from None


def hexadecimal(element: ET.Element) -> bytes:
    try:
        return binascii.unhexlify(text(element))
    except ValueError:
        raise Problem(400, f"{local(element)} is not hexadecimal") from None


def boolean(element: ET.Element) -> bool:
    """xsd:boolean."""
    values = {"true": True, "1": True, "false": False, "0": False}
    if (value := values.get(text(element))) is None:
        raise Problem(400, f"{local(element)} is neither true nor false")
    return value
