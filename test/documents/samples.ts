/** A document of each format that holds most of what the format has. */

export const RST = `:orphan:
:Author: Ada

.. A comment
   of two lines.

=======
Harbour
=======

:Version: 2.1
:Status: draft

Ships come in::

    $ moor --bow
    $ moor --stern

.. contents:: On this page

Tides
-----

.. note:: Read the table
   before you sail.

   High water is at noon:

   .. code-block:: python
      :linenos:

      tide = 3

   See below.

+-------+--------+
| Place | Height |
+=======+========+
| Bar   | 3 m    |
+-------+--------+

=====  =====
Month  Days
=====  =====
May    31

June   30
=====  =====

.. csv-table:: Winds
   :header: "Name", "Force"

   "Bora", 9

>>> tide + 1
4

- one

  more of one
- two

1. First
2. Second

A. Milne wrote this line
and this one.

-v, --verbose  Say more.
--quiet        Say less.

term
    What the term means.

    And more.

> quoted
> literal

Rope::

> one
> two

   A quote, indented.

----

.. [1] A footnote.
.. _link: http://x.example

Moorings
~~~~~~~~

| A line block
| of two lines
`;

export const ASCIIDOC = `// licence
= Harbour guide
Ada Byron <ada@x.example>
:toc: left
:status: draft

Ships come in.

[source,ruby]
.How to moor
----
== no heading
moor :bow
----

== Tides

[NOTE]
====
Read the table.

....
3 m
....
====

.Heights
[cols="1,1"]
|===
|Place |Height

|Bar
|3 m
|===

* one
+
----
attached
----
** deeper
* two

Apart.

-v::
--verbose::
	Say more.
+
And again.

--quiet::
	Say less.

NOTE: A short one.

 literal by its blank

////
a comment
////

Moorings
~~~~~~~~

ifdef::x[]
Only with x.
endif::[]

'''

____
Said.
____
`;

export const CSV =
  'Ports of the north\n\nname;depth;"note"\r\nBergen;12;"deep, safe"\nOslo;9;"two\nlines|bar"\n;;\nTromsø;11;"say ""hi"""\n';

export const JSON_TEXT = JSON.stringify(
  {
    openapi: '3.1.0',
    info: { title: 'Harbour API', version: '2' },
    paths: Object.fromEntries(
      ['/ships', '/tides', '/ropes'].map((path) => [
        path,
        {
          get: { summary: `List ${path} `.repeat(60), tags: ['a', 'b'] },
          post: { summary: `Add to ${path} `.repeat(60) },
        },
      ]),
    ),
    tags: ['north', 'south'].map((name) => ({ name, description: `All about the ${name} `.repeat(30) })),
  },
  null,
  2,
);

export const NOTEBOOK = JSON.stringify(
  {
    cells: [
      {
        cell_type: 'markdown',
        metadata: {},
        source: ['# Tides\n', '\n', 'How high?\n', '```\n', 'not closed'],
      },
      {
        cell_type: 'code',
        metadata: {},
        source: ['tide = 3\n', 'print(tide)'],
        outputs: [
          { output_type: 'stream', name: 'stdout', text: ['3\n'] },
          { output_type: 'display_data', data: { 'image/png': 'iVBORw0KGgo=', 'text/plain': ['<Figure>'] } },
          { output_type: 'error', ename: 'E', traceback: ['\u001b[31mE\u001b[0m: no'] },
        ],
      },
      { cell_type: 'markdown', metadata: {}, source: '## Moorings\ntext' },
      { cell_type: 'raw', source: ['raw words'] },
    ],
    metadata: { kernelspec: { language: 'python' } },
    nbformat: 4,
  },
  null,
  1,
);
