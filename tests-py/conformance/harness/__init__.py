"""Runs the measured scenarios of ``conformance/vectors`` against a Python package.

``data`` loads vectors and chooses the record that counts, ``tags`` turns their tagged
values into Python values, ``scenario`` is the scripted driver and the scripted callbacks,
``execute`` runs one scenario and writes its record, ``compare`` normalises and compares,
``report`` judges a whole kind. ``conformance/README.md`` describes the data.
"""
