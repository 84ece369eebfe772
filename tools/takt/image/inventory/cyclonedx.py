# SPDX-License-Identifier: Apache-2.0
"""The contents of an image as a document of CycloneDX 1.6 in JSON, checked with its schema: a bill of materials."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from typing import Any

from takt.image.inventory.contents import Contents, File
from takt.support import provision
from takt.support.version import revision, version

LOCK = "sbom"
_SERIAL = uuid.UUID("7c1d7d2c-5f0e-4a58-9a53-6f8e2b1f7a10")  # of documents of Takt: the same contents, the same number


def document(name: str, board: str, of: Contents) -> str:
    """The text of the document, the same for the same contents."""
    provision.require_python(LOCK)
    from cyclonedx.model.bom import Bom
    from cyclonedx.model.component import Component, ComponentType
    from cyclonedx.output import make_outputter
    from cyclonedx.schema import OutputFormat, SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    root = Component(
        type=ComponentType.FIRMWARE,
        name=name,
        bom_ref="image",
        hashes=_hashes(of.image),
        properties=_properties(
            ("board", board),
            ("image", of.image.name),
            ("proof", of.proof),
            ("verdict", of.verdict),
            *((f"option:{key}", value) for key, value in of.options),
            *((f"flags:{key}", value) for key, value in of.flags),
        ),
    )
    kernel = Component(
        type=ComponentType.OPERATING_SYSTEM,
        name="takt",
        version=version(),
        bom_ref="takt",
        licenses=_apache(),
        components=_files("takt", of.project),
        properties=_properties(("commit", revision() or "unknown")),
    )
    application = Component(
        type=ComponentType.APPLICATION, name=f"{name} sources", bom_ref="app", components=_files("app", of.application)
    )
    tables = Component(
        type=ComponentType.APPLICATION, name="generated tables", bom_ref="gen", components=_files("gen", of.generated)
    )
    tools = [
        Component(type=ComponentType.APPLICATION, name=of.compiler, version=of.compiler_version, bom_ref="compiler"),
        Component(type=ComponentType.APPLICATION, name="ld", version=of.linker_version, bom_ref="linker"),
    ]
    libraries = [
        Component(
            type=ComponentType.LIBRARY,
            name=one.file.name.rpartition("/")[2],
            version=one.version or None,
            bom_ref=f"library:{one.file.name}",
            hashes=_hashes(one.file),
            properties=_properties(("path", one.file.name), ("package", one.package or "unknown")),
        )
        for one in of.libraries
    ]
    bom = Bom(components=[kernel, application, tables, *libraries])
    bom.metadata.component = root
    bom.metadata.tools.components.update(tools)
    bom.metadata.timestamp = None  # nor a random number: two builds of the same sources have the same document
    bom.serial_number = uuid.uuid5(_SERIAL, f"{of.image.sha256} {of.proof}")
    bom.register_dependency(root, [kernel, application, tables, *libraries])
    text: str = make_outputter(bom, OutputFormat.JSON, SchemaVersion.V1_6).output_as_string(indent=2)
    problem = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    assert problem is None, problem
    return text + "\n"


def _hashes(file: File) -> list[Any]:
    from cyclonedx.model import HashAlgorithm, HashType

    return [HashType(alg=HashAlgorithm.SHA_256, content=file.sha256)]


def _properties(*pairs: tuple[str, str]) -> list[Any]:
    from cyclonedx.model import Property

    return [Property(name=f"takt:{name}", value=value) for name, value in pairs]


def _files(owner: str, listed: Iterable[File]) -> list[Any]:
    from cyclonedx.model.component import Component, ComponentType

    return [
        Component(type=ComponentType.FILE, name=one.name, bom_ref=f"{owner}:{one.name}", hashes=_hashes(one))
        for one in listed
    ]


def _apache() -> list[Any]:
    from cyclonedx.model.license import DisjunctiveLicense

    return [DisjunctiveLicense(id="Apache-2.0")]
