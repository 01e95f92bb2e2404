"""Runs the measured scenarios of ``conformance/vectors`` against a Python package.

``data`` loads vectors and chooses the record that counts, ``tags`` turns their tagged
values into Python values, ``witness`` notes what the scripted parts were asked, ``compare``
normalises and compares, ``report`` judges a whole kind.

A call: ``scenario`` is the scripted driver and the scripted callbacks, ``execute`` runs one
scenario and writes its record; ``computer`` is both for computer calls.

A run: ``run_script`` is the scripted functions, callbacks and ledger, ``run_service`` the
scripted API and its clients, ``run_records`` what is written down of requests and checkpoints,
``runner`` runs one scenario and writes its record.

``conformance/README.md`` describes the data.
"""
