"""Tables of the distances between carried landmarks and the experts', in the units of the files."""

from collections.abc import Mapping, Sequence

import numpy as np

WIDTH = 30  # of the first column


def distances(found: np.ndarray, experts: np.ndarray) -> np.ndarray:
    return np.linalg.norm(found - experts, axis=-1)


def known(errors: np.ndarray) -> np.ndarray:
    """The errors of landmarks that were carried, as a row."""
    return errors[np.isfinite(errors)]


def root_mean_square(errors: np.ndarray) -> float:
    return float(np.sqrt(np.mean(known(errors) ** 2)))


def say_heads(title: str, heads: Sequence[str]) -> None:
    print(f"{title:<{WIDTH}}" + "".join(f"{head:>10}" for head in heads))


def say_row(name: str, values: Sequence[float], digits: int = 4) -> None:
    """One row; what is not known stays empty."""
    cells = (f"{value:>10.{digits}f}" if np.isfinite(value) else f"{'':>10}" for value in values)
    print(f"{name:<{WIDTH}}" + "".join(cells))


def summary(errors: np.ndarray) -> list[float]:
    """Mean, median, what nine tenths lie below, and the worst."""
    row = known(errors)
    return [row.mean(), np.median(row), np.quantile(row, 0.9), row.max()]


def say_by_landmark(
    alone: Mapping[str, np.ndarray], medians: Mapping[str, np.ndarray], ours: str
) -> None:
    """Mean errors of every landmark, and by how much the best of the others is closer than ours.

    Parameters
    ----------
    alone : errors (..., k) from one template, by method
    medians : likewise from several templates at once
    """
    kinds = [by_landmark(alone), {f"{name} *": row for name, row in by_landmark(medians).items()}]
    heads = [name for means in kinds for name in means]
    wide = max(len(head) for head in heads) + 2
    print("\nmean error by landmark, and where we lose; a star: from several templates")
    print(f"{'':<4}" + "".join(f"{head:>{wide}}" for head in heads) + "  lost to")
    for number in range(len(next(iter(kinds[0].values())))):
        cells = "".join(f"{row[number]:>{wide}.3f}" for means in kinds for row in means.values())
        lost = [
            *lost_to(kinds[0], ours, number),
            *lost_to(kinds[1], f"{ours} *", number),
        ]
        print(f"{number + 1:<4}{cells}  {', '.join(lost)}")


def by_landmark(errors: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {
        name: np.nanmean(each.reshape(-1, each.shape[-1]), axis=0) for name, each in errors.items()
    }


def lost_to(means: Mapping[str, np.ndarray], ours: str, number: int) -> list[str]:
    """The best of the others and by how much it is closer, if it is."""
    others = {name: row[number] for name, row in means.items() if name != ours}
    if ours not in means or not others:
        return []
    best = min(others, key=lambda name: others[name])
    lost = means[ours][number] - others[best]
    return [f"{best} by {lost:.3f}"] if lost > 0 else []


def say_expected(errors: np.ndarray, expected: np.ndarray, radius: np.ndarray) -> None:
    """Whether expected errors are right: nine tenths within the radius, and the doubtful worse."""
    sure = np.isfinite(errors) & np.isfinite(expected) & np.isfinite(radius)
    error, told = errors[sure], expected[sure]
    doubtful = np.argsort(-told, kind="stable")[: max(1, len(told) // 10)]
    print(
        f"\nexpected errors: {100 * np.mean(error <= radius[sure]):.1f} % within the 90 % radius, "
        f"mean {told.mean():.4f} expected and {error.mean():.4f} found, "
        f"the most doubtful tenth {error[doubtful].mean() / error.mean():.2f} x the mean error"
    )
