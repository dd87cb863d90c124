"""Models of shape: equal to geomorph, RRPP, Morpho and MASS, and lawful without them."""

import numpy as np
import pytest
from geomorph_answers import about, answer, array

from gplandmark import AnalysisError, SettingsError
from gplandmark.morphometrics.models import (
    allometry,
    canonical_variates,
    design_of,
    disparity,
    pairwise_means,
    pairwise_slopes,
    partial_least_squares,
    shape_anova,
    size_corrected,
)
from gplandmark.morphometrics.models.canonical_variates import components_for
from gplandmark.morphometrics.models.permutation import (
    checked_orders,
    effect_size,
    p_value,
    permutations,
)

FORMULAS = ("size", "group", "size+group", "size*group")


def mandibles():
    return array("gpagen.mandibles.default", "coords")


def design(formula):
    size = array("gpagen.mandibles.default", "Csize")
    names = about("mandibles")["names"]
    variables = {"size": np.log(size), "centroid_size": size, "group": groups()}
    return design_of(f"shape ~ {formula}", variables, names)


def groups():
    return about("mandibles")["group"]


def log_size():
    return np.log(array("gpagen.mandibles.default", "Csize"))


def orders(key):
    return array(key, "perm_index_1based").astype(int) - 1


# --- equal to others


@pytest.mark.parametrize("kind", ["I", "II", "III"])
@pytest.mark.parametrize("formula", FORMULAS)
def test_the_table_of_an_anova_is_that_of_geomorph(formula, kind):
    key = f"procD.lm.{formula}" + ("" if formula in ("size", "group") else f".{kind}")
    expected = answer(key)["anova"]
    found = shape_anova(mandibles(), design(formula), kind, permutations_of=9)
    sums = [each.sum_of_squares for each in found.effects]
    sums += [found.residual_sum_of_squares, found.total_sum_of_squares]
    # RRPP rounds an intermediate result to 12 decimals.
    np.testing.assert_allclose(sums, expected["SS"], rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose([e.f for e in found.effects], expected["F"][:-2], rtol=1e-6)
    np.testing.assert_allclose(
        [e.r_squared for e in found.effects], expected["Rsq"][: len(found.effects)], atol=2e-8
    )
    assert [e.df for e in found.effects] + [found.residual_df] == expected["Df"][:-1]
    means = [*(each.mean_square for each in found.effects), found.residual_mean_square]
    np.testing.assert_allclose(means, expected["MS"][:-1], rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(
        found.coefficients, answer(key)["coefficients"]["values"], rtol=1e-6, atol=1e-9
    )


@pytest.mark.parametrize("randomised", ["residual", "full"])
def test_given_permutations_give_the_values_of_rrpp(randomised):
    key = f"rrpp.permutations.{randomised}"
    expected = answer(key)
    found = shape_anova(
        mandibles(), design("size*group"), orders=orders(key),
        full_randomisation=randomised == "full",
    )  # fmt: skip
    np.testing.assert_allclose(found.random_sums, expected["SS"], rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(found.random_f, expected["F"], rtol=1e-6, atol=3e-7)
    table = expected["anova"]
    np.testing.assert_allclose([each.z for each in found.effects], table["Z"][:3], atol=1e-5)
    np.testing.assert_allclose([each.p for each in found.effects], table["Pr(>F)"][:3])


def same_up_to_sign(found, expected):
    found, expected = np.atleast_2d(found.T), np.atleast_2d(np.array(expected, dtype=float).T)
    signs = np.sign(np.sum(found * expected, axis=1, keepdims=True))
    np.testing.assert_allclose(signs * found, expected, rtol=1e-6, atol=1e-11)


@pytest.mark.parametrize("formula", ["size", "size+group", "size*group"])
def test_scores_of_allometry_are_those_of_geomorph(formula):
    expected = answer(f"plotAllometry.{formula}")
    model = shape_anova(mandibles(), design(formula), permutations_of=1)
    found = allometry(mandibles(), model, log_size())
    np.testing.assert_allclose(found.regression_scores, expected["RegScore"], atol=1e-11)
    np.testing.assert_allclose(found.common_component, expected["CAC"], atol=1e-11)
    same_up_to_sign(found.predicted_scores, expected["PredLine"])
    same_up_to_sign(found.residual_components[:, :3], expected["RSC1_3"])
    np.testing.assert_allclose(found.size, expected["size.var"])


def test_lines_of_allometry_have_the_slopes_of_the_model():
    for formula, is_parallel in (("size+group", True), ("size*group", False)):
        model = shape_anova(mandibles(), design(formula), permutations_of=1)
        found = allometry(mandibles(), model, log_size())
        slopes = []
        for name in sorted(set(groups())):
            own = np.array(groups()) == name
            line = np.polyfit(found.size[own], found.fitted_scores[own], 1)
            drawn = np.polyval(line, found.size[own])
            np.testing.assert_allclose(drawn, found.fitted_scores[own], atol=1e-12)
            slopes.append(line[0])
        # the line of the reference group, or of all
        assert slopes[0] == pytest.approx(np.linalg.norm(found.direction))
        assert np.allclose(slopes, slopes[0]) == is_parallel
        rest = found.regression_scores - found.fitted_scores
        np.testing.assert_allclose(model.design.columns.T @ rest, 0, atol=1e-12)


def test_the_common_component_is_that_of_morpho():
    shapes = array("Morpho.procSym.mandibles", "orpdata")
    size = array("Morpho.procSym.mandibles", "size")
    model = shape_anova(
        shapes, design_of("shape ~ size", {"size": np.log(size)}, ["s"] * 50), permutations_of=1
    )
    found = allometry(shapes, model, np.log(size))
    same_up_to_sign(found.common_component, answer("Morpho.CAC")["CACscores"])
    same_up_to_sign(found.residual_components[:, :3], answer("Morpho.CAC")["RSCscores1_3"])


@pytest.mark.parametrize(("formula", "null"), [("group", "1"), ("size+group", "size")])
def test_distances_of_group_means_are_those_of_rrpp(formula, null):
    expected = answer(f"pairwise.{formula}")
    found = pairwise_means(mandibles(), design(formula), design(null), groups(), seed=1)
    assert list(found.groups) == expected["levels"]
    np.testing.assert_allclose(found.means, expected["LS.means"], rtol=1e-6, atol=1e-10)
    np.testing.assert_allclose(found.distances, expected["dist"], rtol=1e-6)
    random = expected["summary_random"]  # other permutations: compared as samples are
    corner = ([0, 0, 1], [1, 2, 2])
    np.testing.assert_allclose(found.p[corner], random["Pr > d"], atol=0.06)
    np.testing.assert_allclose(found.z[corner], random["Z"], atol=0.25)
    np.testing.assert_allclose(found.limits[corner], random["UCL (95%)"], rtol=0.05)


def test_slopes_of_groups_are_those_of_rrpp():
    expected = answer("pairwise.slopes")
    found = pairwise_slopes(mandibles(), design("size*group"), groups(), "size")
    np.testing.assert_allclose(found.slopes, expected["slopes"], rtol=1e-6, atol=1e-10)
    np.testing.assert_allclose(found.lengths, expected["slopes.length"], rtol=1e-6)
    np.testing.assert_allclose(found.distances, expected["slopes.dist"], rtol=1e-6)
    np.testing.assert_allclose(found.correlations, expected["vec.cor"], rtol=1e-6)
    np.testing.assert_allclose(found.angles, expected["angles_deg"], atol=1e-5)


@pytest.mark.parametrize(
    ("key", "formula"),
    [("grandmean", None), ("group", "group"), ("allometry+group", "size+group")],
)
def test_disparity_is_that_of_geomorph(key, formula):
    expected = answer(f"morphol.disparity.{key}")
    about_model = None if formula is None else design(formula)
    found = disparity(mandibles(), groups(), about_model)
    np.testing.assert_allclose(found.variances, expected["Procrustes.var"], rtol=1e-6)
    np.testing.assert_allclose(found.differences, expected["PV.dist"], rtol=1e-6, atol=1e-15)
    np.testing.assert_allclose(found.p, expected["PV.dist.Pval_random"], atol=0.06)


def test_partial_and_overall_disparity_are_those_of_geomorph():
    found = disparity(mandibles(), groups(), permutations_of=1)
    expected = answer("morphol.disparity.partial")["Procrustes.var"]
    np.testing.assert_allclose(found.partial, expected, rtol=1e-6)
    overall = answer("morphol.disparity.overall")["Procrustes.var"]
    np.testing.assert_allclose(found.overall, overall, rtol=1e-6)


def test_given_permutations_give_the_disparities_of_geomorph():
    key = "disparity.permutations"
    found = disparity(mandibles(), groups(), design("group"), orders=orders(key))
    np.testing.assert_allclose(
        found.random[:, 0, 1], answer(key)["random_AB"], rtol=1e-6, atol=1e-15
    )
    np.testing.assert_allclose(found.p, answer(key)["Pval"])


def test_given_permutations_give_the_correlations_of_two_b_pls():
    key = "pls.permutations"
    shapes = mandibles()
    found = partial_least_squares(shapes[:, :8], shapes[:, 8:], orders=orders(key))
    np.testing.assert_allclose(found.random, answer(key)["random.r"], rtol=1e-6)
    np.testing.assert_allclose(found.p, answer(key)["P"])
    np.testing.assert_allclose(found.z, answer(key)["Z"], atol=1e-5)


@pytest.mark.parametrize("key", ["two.b.pls.mandibles", "integration.test.mandibles"])
def test_two_block_pls_is_that_of_geomorph(key):
    shapes = mandibles()
    found = partial_least_squares(shapes[:, :8], shapes[:, 8:], permutations_of=1)
    expected = answer(key)
    np.testing.assert_allclose(found.correlation, expected["r.pls"], rtol=1e-6)
    np.testing.assert_allclose(
        found.singular_values, expected["singular_values"], rtol=1e-6, atol=1e-12
    )
    same_up_to_sign(found.first_scores[:, :3], expected["XScores1_3"])
    same_up_to_sign(found.second_scores[:, :3], expected["YScores1_3"])
    same_up_to_sign(found.first_axes[:, 0], expected["left1"])
    same_up_to_sign(found.second_axes[:, 0], expected["right1"])


def test_two_block_pls_is_that_of_morpho():
    shapes = array("Morpho.procSym.mandibles", "orpdata")
    found = partial_least_squares(shapes[:, :8], shapes[:, 8:], permutations_of=1)
    expected = answer("Morpho.pls2B")
    np.testing.assert_allclose(found.singular_values, expected["singular"], rtol=1e-6, atol=1e-12)
    same_up_to_sign(found.first_scores[:, :3], expected["Xscores1_3"])
    fractions = expected["CoVar"]["% total covar."]
    np.testing.assert_allclose(100 * found.covariance_fractions, fractions, rtol=1e-6, atol=1e-6)


def test_canonical_variates_and_probabilities_are_those_of_mass():
    scores = array("gm.prcomp.mandibles", "scores")[:, :10]
    expected = answer("lda.PC10")
    found = canonical_variates(scores, groups())
    np.testing.assert_allclose(np.sqrt(found.roots), expected["svd"], rtol=1e-6)
    same_up_to_sign(found.scores, expected["LD"])
    same_up_to_sign(found.axes, expected["scaling"])
    np.testing.assert_allclose(found.posterior, expected["posterior"], atol=1e-9)
    np.testing.assert_allclose(found.validated, expected["cv_posterior"], atol=1e-9)
    assert [found.groups[each] for each in found.predicted] == expected["cv_class"]


def test_distances_of_groups_are_those_of_morpho():
    expected = answer("Morpho.CVA.PC10.weightingT")
    found = canonical_variates(np.array(expected["input_PCscores1_10"]), groups())
    np.testing.assert_allclose(found.mahalanobis, expected["GroupdistMaha"], rtol=1e-6, atol=1e-12)
    count, number = 50, 3  # Morpho has sums of squares where MASS has mean squares
    roots = found.roots * (number - 1) / (count - number)
    np.testing.assert_allclose(roots, np.array(expected["Var"])[:, 0], rtol=1e-6)


# --- laws


@pytest.fixture
def made(random):
    """Shapes of two groups that differ, with a slope on size, and their variables."""
    size = random.normal(size=24)
    group = np.array(["a", "b"] * 12)
    shapes = 0.1 * random.normal(size=(24, 30))
    shapes[:, 0] += 2.0 * size
    shapes[group == "b", 1] += 3.0
    names = [f"s{number}" for number in range(24)]
    return shapes, {"size": size, "group": group, "noise": random.normal(size=24)}, names


def test_sums_of_squares_of_type_one_add_up(made):
    shapes, variables, names = made
    found = shape_anova(shapes, design_of("shape ~ size * group + noise", variables, names))
    parts = sum(each.sum_of_squares for each in found.effects) + found.residual_sum_of_squares
    np.testing.assert_allclose(parts, found.total_sum_of_squares)
    assert sum(each.df for each in found.effects) + found.residual_df == 23
    assert found.effects[0].p == found.effects[1].p == 0.001
    assert [each.name for each in found.effects] == ["size", "group", "noise", "size:group"]


def test_the_last_term_has_the_same_sum_of_squares_in_every_type(made):
    shapes, variables, names = made
    model = design_of("shape ~ size + group", variables, names)
    last = [shape_anova(shapes, model, kind, permutations_of=9).effects[1].sum_of_squares
            for kind in ("I", "II", "III")]  # fmt: skip
    np.testing.assert_allclose(last, last[0])


def test_the_order_of_terms_matters_in_type_one_only(made):
    shapes, variables, names = made
    one = design_of("shape ~ size + group", variables, names)
    other = design_of("shape ~ group + size", variables, names)
    sums = {
        (kind, model.formula): shape_anova(shapes, model, kind, permutations_of=9).effects
        for kind in ("I", "II")
        for model in (one, other)
    }
    first = sums["I", one.formula][0].sum_of_squares
    assert abs(first - sums["I", other.formula][1].sum_of_squares) > 1e-3
    np.testing.assert_allclose(
        sums["II", one.formula][0].sum_of_squares, sums["II", other.formula][1].sum_of_squares
    )


def test_permutations_agree_with_a_plain_transcription(made):
    shapes, variables, names = made
    model = design_of("shape ~ size + group", variables, names)
    found = shape_anova(shapes, model, "II", permutations_of=20, seed=5)
    shuffled = permutations(24, 20, 5)
    for number, (low, high) in enumerate(model.reduced_and_full("II")):
        for at, order in enumerate(shuffled):
            x, z = model.columns[:, low], model.columns[:, high]
            fitted = x @ np.linalg.lstsq(x, shapes, rcond=None)[0]
            again = fitted + (shapes - fitted)[order]
            rest = [np.sum((again - m @ np.linalg.lstsq(m, again, rcond=None)[0]) ** 2)
                    for m in (x, z)]  # fmt: skip
            np.testing.assert_allclose(found.random_sums[number, at], rest[0] - rest[1])


def test_the_same_seed_gives_the_same_answer(made):
    shapes, variables, names = made
    model = design_of("shape ~ noise", variables, names)
    one, two, three = (shape_anova(shapes, model, seed=seed).effects[0] for seed in (1, 1, 2))
    assert (one.p, one.z) == (two.p, two.z)
    assert one.z != three.z


def test_corrected_shapes_do_not_depend_on_size_and_keep_their_groups(made):
    shapes, variables, names = made
    model = shape_anova(shapes, design_of("shape ~ size + group", variables, names))
    corrected = size_corrected(shapes, model)
    again = shape_anova(corrected, model.design, "II")
    assert again.effects[0].sum_of_squares < 1e-20
    np.testing.assert_allclose(
        again.effects[1].sum_of_squares,
        shape_anova(shapes, model.design, "II").effects[1].sum_of_squares,
    )


def test_interactions_have_the_slope_of_each_group(made):
    shapes, variables, names = made
    shapes[variables["group"] == "b", 2] += 5.0 * variables["size"][variables["group"] == "b"]
    model = design_of("shape ~ size * group", variables, names)
    found = pairwise_slopes(shapes, model, list(variables["group"]), "size")
    np.testing.assert_allclose(found.slopes[:, 0], 2.0, atol=0.2)
    np.testing.assert_allclose(found.slopes[1, 2] - found.slopes[0, 2], 5.0, atol=0.2)


def test_functions_and_groups_of_numbers_may_be_in_a_formula(made):
    _, variables, names = made
    variables = {**variables, "year": np.array([2001.0, 2002.0, 2003.0] * 8)}
    found = design_of("shape ~ log(year) + C(year)", {**variables}, names)
    assert found.columns.shape[1] == 4
    assert design_of("~ year", variables, names).covariates == ("year",)


def test_a_group_that_is_far_away_is_always_recognised(made):
    shapes, variables, _ = made
    found = canonical_variates(shapes[:, :4], list(variables["group"]))
    assert found.rate == 1.0
    np.testing.assert_allclose(found.posterior.sum(axis=1), 1)
    parts = [found.scores[found.members == each] for each in (0, 1)]
    within = np.concatenate([part - part.mean(axis=0) for part in parts])
    np.testing.assert_allclose(within.T @ within / 22, np.eye(1), atol=1e-9)


def test_cross_validation_is_leaving_one_out(made, random):
    _, variables, _ = made
    points = random.normal(size=(24, 3))
    labels = list(variables["group"])
    found = canonical_variates(points, labels)
    rest = canonical_variates(np.vstack([points[1:], points[1:2]]), [*labels[1:], labels[1]])
    assert rest.posterior.shape == (24, 2)
    means = [points[1:][[g == name for g in labels[1:]]].mean(axis=0) for name in ("a", "b")]
    offsets = np.array([points[i] - means["ab".index(labels[i])] for i in range(1, 24)])
    inverse = np.linalg.inv(offsets.T @ offsets / 21)
    squares = [(points[0] - m) @ inverse @ (points[0] - m) for m in means]
    expected = np.exp(-np.array(squares) / 2)
    np.testing.assert_allclose(found.validated[0], expected / expected.sum())


def test_few_components_are_used_for_few_specimens():
    assert components_for(np.ones(30), 12, 2) == 5
    assert components_for(np.array([96.0, 2, 2]), 100, 2) == 1
    assert components_for(np.ones(3), 3, 2) == 1


def test_p_values_and_effect_sizes():
    assert p_value(np.array([3.0, 1, 2, 3])) == 0.5
    values = np.exp(np.random.default_rng(0).normal(size=2000))
    values[0] = np.exp(3.0)
    np.testing.assert_allclose(effect_size(values), 3.0, atol=0.15)
    np.testing.assert_allclose(effect_size(1000 * values), effect_size(values), atol=1e-4)
    assert np.isnan(effect_size(np.ones(9)))
    assert np.isnan(effect_size(np.array([1.0, -1, 2, 3])))


# --- bad input


@pytest.mark.parametrize(
    ("formula", "words"),
    [
        ("shape ~ size +", "cannot be read"),
        ("length ~ size", "begins with 'shape ~'"),
        ("shape ~ size - 1", "without an intercept"),
        ("shape ~ weight", "names 'weight', which is not known. There are: size, group"),
        ("shape ~ log(group)", "cannot be computed"),
        ("shape ~ same", "is the same for all specimens"),
        ("shape ~ gaps", "gaps has no value for specimen s2"),
        ("shape ~ holes", "holes has no value for specimen s1"),
        ("shape ~ 1", "no term"),
        ("shape ~ group + twin", "twin is determined by the other terms"),
        ("shape ~ names", "24 coefficients for 24 specimens"),
        ("shape ~ I(3)", "no value for each specimen"),
    ],
)
def test_models_that_cannot_be_fitted_are_refused(made, formula, words):
    shapes, variables, names = made
    gaps = variables["size"].copy()
    gaps[2] = np.nan
    holes = variables["group"].copy()
    holes[1] = ""
    twin = np.where(variables["group"] == "a", "x", "y")
    more = {**variables, "same": np.ones(24), "gaps": gaps, "holes": holes}
    more |= {"twin": twin, "names": np.array(names)}
    with pytest.raises(AnalysisError, match=words):
        shape_anova(shapes, design_of(formula, more, names))


def test_other_bad_input_is_refused(made, random):
    shapes, variables, names = made
    model = design_of("shape ~ size", variables, names)
    with pytest.raises(SettingsError, match="I, II or III"):
        shape_anova(shapes, model, "IV")
    with pytest.raises(SettingsError, match="at least 1"):
        shape_anova(shapes, model, permutations_of=0)
    with pytest.raises(AnalysisError, match="24 specimens, but there are 5"):
        shape_anova(shapes[:5], model)
    with pytest.raises(AnalysisError, match="same shape"):
        shape_anova(np.ones((24, 6)), model)
    with pytest.raises(AnalysisError, match="missing coordinates"):
        shape_anova(np.where(shapes > 2, np.nan, shapes), model)
    with pytest.raises(AnalysisError, match="Every permutation"):
        checked_orders(np.zeros((3, 24), int), 24)
    with pytest.raises(AnalysisError, match="first permutation"):
        checked_orders(permutations(24, 3)[1:], 24)
    fitted = shape_anova(shapes, design_of("shape ~ group", variables, names))
    with pytest.raises(AnalysisError, match="no covariate size"):
        allometry(shapes, fitted, variables["size"])
    with pytest.raises(AnalysisError, match="no covariate noise"):
        pairwise_slopes(shapes, model, list(variables["group"]), "noise")
    with pytest.raises(AnalysisError, match="same size"):
        allometry(shapes, shape_anova(shapes, model), np.ones(24))
    with pytest.raises(AnalysisError, match="Group c has one member"):
        disparity(shapes, [*variables["group"][:-1], "c"])
    with pytest.raises(AnalysisError, match="only if there are two, got 1"):
        disparity(shapes, ["a"] * 24)
    with pytest.raises(AnalysisError, match="30 variables need more than 31"):
        canonical_variates(shapes, list(variables["group"]))
    with pytest.raises(AnalysisError, match="determine each other"):
        canonical_variates(np.ones((24, 2)), list(variables["group"]))
    with pytest.raises(AnalysisError, match="same specimens"):
        partial_least_squares(shapes, shapes[:9])
    with pytest.raises(AnalysisError, match="does not vary"):
        partial_least_squares(shapes, np.ones((24, 2)))
