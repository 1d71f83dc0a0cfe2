"""jaxcourse.claims: a false claim fails and names itself; both kinds leave their data."""

import json

import jax.numpy as jnp
import numpy as np
import pytest
from IPython.testing.globalipapp import start_ipython
from IPython.utils.capture import capture_output

from jaxcourse import ClaimError, UserError, claim, measure


@pytest.fixture(scope="module")
def shell():
    # One shell a process, whichever test file asks first.
    from IPython import get_ipython

    return get_ipython() or start_ipython()


def shown(shell, code: str) -> dict:
    """The MIME bundle that a line of code displays in a notebook's cell."""
    with capture_output() as captured:
        result = shell.run_cell("from jaxcourse import claim, measure\n" + code)
    result.raise_error()
    (output,) = captured.outputs
    return output.data


@pytest.mark.parametrize("true", [True, 1, np.True_, np.array([True]), jnp.array(True)])
def test_a_true_claim_passes(true, capsys):
    claim("it holds", true)
    assert capsys.readouterr().out == "claim holds: it holds\n"


@pytest.mark.parametrize("false", [False, 0, np.False_, jnp.array(False)])
def test_a_false_claim_fails_and_names_itself(false):
    with pytest.raises(ClaimError, match="this claim does not hold here: two is three"):
        claim("two is three", false)


def test_a_false_claim_leaves_its_data_too(shell):
    with capture_output() as captured:
        result = shell.run_cell("from jaxcourse import claim\nclaim('two is three', 2 == 3)")
    assert isinstance(result.error_in_exec, ClaimError)
    data = captured.outputs[0].data["application/vnd.jaxcourse.claim+json"]
    assert data == {"text": "two is three", "holds": False, "source": None}


def test_a_false_claim_shows_one_line_in_a_notebook():
    with pytest.raises(ClaimError) as caught:
        claim("two is three", False)
    assert caught.value._render_traceback_() == ["ClaimError: this claim does not hold here: two is three"]


def test_what_has_no_single_truth_value_is_refused():
    with pytest.raises(UserError, match=r"one truth value but got an array of shape \(3,\)"):
        claim("all are positive", jnp.arange(3) > 0)


def test_an_unknown_document_is_refused():
    with pytest.raises(UserError, match="not an item of the five documents"):
        claim("it holds", True, "X9-1")


def test_a_claim_leaves_its_data_and_escapes_html(shell):
    bundle = shown(shell, "claim('`a < b` & more', True, 'S3-25')")
    assert bundle["application/vnd.jaxcourse.claim+json"] == {
        "text": "`a < b` & more",
        "holds": True,
        "source": "S3-25",
    }
    assert "<code>a &lt; b</code> &amp; more" in bundle["text/html"]
    assert "Helmholtz JAX talk" in bundle["text/html"]
    assert bundle["text/plain"] == "claim holds: `a < b` & more"


def test_a_measure_leaves_its_data_beside_the_documents_figure(shell):
    bundle = shown(shell, "import numpy; measure('ratio', numpy.float32(1.5), 'x', was=0.56, source='S1-62')")
    data = bundle["application/vnd.jaxcourse.measure+json"]
    assert data == {"text": "ratio", "value": 1.5, "unit": "x", "was": 0.56, "source": "S1-62"}
    json.dumps(data)
    assert bundle["text/plain"] == "measured: ratio: 1.5 x (the document: 0.56 x)"


def test_a_measure_shows_the_digits_asked_for(capsys):
    measure("root", 1.4142135381698608, digits=17)
    assert capsys.readouterr().out == "measured: root: 1.4142135381698608\n"
