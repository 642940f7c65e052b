"""Results of tc-bench as Python values."""

import json
import math

FORMAT, VERSION = "tc-bench", 1


class BadResults(Exception):
    """The reason why a file cannot be used."""


def load_results(path):
    try:
        with open(path, encoding="utf-8") as file:
            results = json.load(file)
    except OSError as error:
        raise BadResults(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise BadResults(f"{path}: {error}") from None
    if not isinstance(results, dict) or results.get("format") != FORMAT:
        raise BadResults(f"{path}: not results of tc-bench")
    if results.get("version") != VERSION:
        raise BadResults(f"{path}: unknown version {results.get('version')}; "
                         f"this program reads version {VERSION}")
    if not results["cases"]:
        raise BadResults(f"{path}: no case in it")
    return results


def outcome_of(case, contender):
    """A contender's outcome in a case; empty if it was not there."""
    return next((outcome for outcome in case["outcomes"]
                 if outcome["contender"] == contender), {})


def predicted_seconds(case):
    """The predicted time of tc's kernel, from its machine code, or None."""
    details = outcome_of(case, "tc").get("details", {})
    found = details.get("predicted_time") or (
        case["simulation"] or {}).get("predicted_time")
    return found["seconds"] if found else None


def predictions(results):
    """(predicted, measured) seconds of all cases that have both."""
    pairs = [(predicted_seconds(case),
              outcome_of(case, "tc").get("median_seconds"))
             for case in results["cases"]]
    return [pair for pair in pairs if all(pair)]


def contenders_of(results):
    """All contenders that occur, tc first."""
    names = dict.fromkeys(outcome["contender"] for case in results["cases"]
                          for outcome in case["outcomes"])
    return sorted(names, key=lambda name: name != "tc")


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))
