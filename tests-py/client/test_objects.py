"""What the client gives, as objects (N-2)."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import pytest

from client.service import message, response
from swingbridge import Response, ResponseStreamEvent
from swingbridge.plain import NotPlainError, plain


def made(body: Any, kind: Any = Response) -> Any:
    return kind(json.dumps(body))


def test_scalars_lists_and_objects() -> None:
    given = made({"a": 1, "b": 1.0, "c": None, "d": True, "e": "é", "f": [[1, {"g": 2}]], "a b": 3})
    assert (given.a, given.b, given.c, given.d, given.e) == (1, 1.0, None, True, "é")
    assert type(given.b) is float
    assert given.f[0][0] == 1
    assert given.f[0][1].g == 2
    assert given.f is given.f, "read once"
    assert getattr(given, "a b") == 3


def test_fields_with_names_of_the_callers_own_are_dicts() -> None:
    schema = {"type": "object", "properties": {"id": {"type": "integer"}}}
    tool = {"type": "function", "name": "f", "parameters": schema}
    given = made({**response(), "metadata": {"run": "7", "to_dict": "x"}, "tools": [tool]})
    assert given.metadata["run"] == "7"
    assert dict(given.metadata) == {"run": "7", "to_dict": "x"}
    assert given.tools[0].parameters == schema
    given.metadata.clear()
    assert given.to_dict()["metadata"] == {"run": "7", "to_dict": "x"}
    # A field of that name that is no object is what it is.
    assert made({"metadata": None, "parameters": "text"}).parameters == "text"


def test_a_field_that_is_not_there() -> None:
    given = made({"type": "message", "id": "x"})
    with pytest.raises(AttributeError, match="Response has no field 'status'"):
        _ = given.status
    assert not hasattr(given, "__len__")
    # By its published type a response has it.
    assert made({"object": "response"}).usage is None
    assert made({"object": "response"}).output_text == ""
    with pytest.raises(AttributeError):
        _ = made({"object": "response"}).surprise


def test_nothing_in_it_can_be_changed() -> None:
    given = made(response())
    with pytest.raises(AttributeError):
        given.status = "failed"
    fields = given.to_dict()
    fields["output"].clear()
    assert given.output_text == "hello"


def test_the_description_shows_nothing_that_a_model_wrote() -> None:
    given = made(response(message("hunter2")))
    assert repr(given) == "Response(id='resp_1', object='response', status='completed')"
    assert repr(given.output[0]) == "JsonObject(id='msg_1', type='message', status='completed')"
    assert "hunter2" not in f"{given} {given.output} {given.output[0].content}"


def test_fields_are_listed() -> None:
    assert {"output", "usage", "to_dict"} <= set(dir(made(response())))


def test_equality_is_by_fields() -> None:
    assert made({"a": 1, "b": 2}) == made({"b": 2, "a": 1})
    assert made({"a": 1}) != made({"a": 2})
    assert made({"a": 1}) != {"a": 1}


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))]
)
def test_copies(copied: Any) -> None:
    given = made(response())
    again = copied(given)
    assert type(again) is Response
    assert again == given
    assert again is not given


def test_plain_objects_are_made_of_it() -> None:
    body = response()
    given = made(body)
    assert plain({"it": [given, given.output[0]]}) == {"it": [body, body["output"][0]]}
    assert given.to_json() == json.dumps(body)


def test_the_response_of_an_event_is_a_response() -> None:
    event = made({"type": "response.completed", "response": response()}, ResponseStreamEvent)
    assert isinstance(event.response, Response)
    assert event.response.output_text == "hello"


def test_unpaired_surrogates_and_the_last_of_equal_names() -> None:
    given = Response('{"a": "\\ud800", "b": 1, "b": 2}')
    assert given.a == "\ud800"
    assert given.b == 2
    assert given.to_dict() == {"a": "\ud800", "b": 2}


def test_what_is_nested_too_deeply() -> None:
    deep = Response('{"a": ' + "[" * 1000 + "]" * 1000 + "}")
    with pytest.raises(NotPlainError):
        deep.to_dict()
    with pytest.raises(NotPlainError):
        _ = deep.a


def test_what_cannot_be_read_leaves_the_rest_readable() -> None:
    deep = "[" * 1000 + "]" * 1000
    given = Response('{"object": "response", "id": "r", "tools": ' + deep + ', "output": []}')
    assert (given.id, given.output_text) == ("r", "")
    assert repr(given) == "Response(id='r', object='response')"
    with pytest.raises(NotPlainError):
        _ = given.tools
    named = Response('{"id": "r", "a": {"\\ud800": 1}}')
    assert named.id == "r"
    with pytest.raises(NotPlainError):
        named.to_dict()


def test_a_number_that_no_float_holds() -> None:
    text = '{"a": 1e400, "b": [-1E+400]}'
    assert Response(text).to_dict() == json.loads(text)
    assert Response(text).b == [float("-inf")]


@pytest.mark.parametrize("text", ["", "[]", "1", '{"a": }', "{} {}"])
def test_what_is_no_object(text: str) -> None:
    with pytest.raises(ValueError, match="no JSON object"):
        Response(text)
