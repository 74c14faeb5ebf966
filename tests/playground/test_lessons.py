"""All lessons can be solved, by what their tasks ask for and not before."""

import numpy as np
import pytest


def move_all(playground, change):
    playground.js(f"() => playground.state.change('script', {{points: playground.state.now.points.map({change})}})")
    playground.rest()


def look_at(playground, *kinds):
    alpha = np.array(playground.js("[...playground.answer.arrays.multiplier]"))
    C = playground.js("playground.value('C')")
    for chosen in (alpha == 0, (alpha > 0) & (alpha < C), alpha == C):
        x, y, _ = playground.points[int(np.flatnonzero(chosen)[0])]
        playground.page.mouse.move(*playground.place(x, y))


def look_at_steps(playground):
    playground.page.click("#steps-open")
    playground.page.wait_for_function("() => playground.steps.course")
    playground.set("direction", "gradient_descent")
    playground.page.wait_for_function("() => playground.steps.course && playground.lessons.finished")


def into_the_others(playground):
    points = playground.points
    middle = np.mean([p[:2] for p in points if p[2] == 1], axis=0)
    playground.drag(tuple(points[0][:2]), tuple(middle + 0.03))


def cut_the_rings(playground):
    playground.choose("clusters", "ncut")
    for gamma in (2, 5, 10, 20, 40):
        playground.set("gamma", gamma)
        if playground.js("playground.lessons.finished"):
            return


def from_tree_to_forest(playground):
    playground.set("max_depth", 20)
    assert playground.page.inner_text("#lesson .state") == "the tree is done"
    playground.choose("classes", "forest")
    playground.set("n_estimators", 100)


SOLUTIONS = [
    lambda it: move_all(it, "p => [p[0] + (p[2] ? 2 : -2), p[1], p[2]]"),
    lambda it: it.set("C", 0.01),
    into_the_others,
    lambda it: it.set("kernel", "rbf"),
    lambda it: it.set("gamma", 1000),
    look_at,
    look_at_steps,
    lambda it: move_all(it, "p => [p[0] + (p[2] ? -0.6 : 0.6), p[1], p[2]]"),
    lambda it: move_all(it, "p => p[2] ? [p[0] + 1, p[1] - 3, 1] : p"),
    cut_the_rings,
    from_tree_to_forest,
    lambda it: it.set("n_estimators", 200),
]


@pytest.mark.parametrize("number", range(1, 13))
def test_a_lesson_is_solved(playground, number):
    page = playground.page
    open_lesson(playground, number)
    assert page.inner_text("#lesson .small") == f"{number} of 12"
    assert playground.js("playground.lessons.finished") is False
    SOLUTIONS[number - 1](playground)
    page.wait_for_function("() => document.querySelector('#lesson').classList.contains('done')")
    assert page.inner_text("#lesson .state") == "✓ Done"


def open_lesson(playground, number):
    playground.page.click("#lessons-open")
    playground.page.click(f"#lesson-items li:nth-child({number}) button")
    playground.page.wait_for_selector("#lesson", state="visible")
    playground.rest()


def keep_two(playground):
    playground.js(
        "() => playground.state.change('script', {points: [0, 1].map(k => "
        "playground.state.now.points.find(p => p[2] === k))})"
    )
    playground.rest()


SHORTCUTS = {
    "a soft margin is wide without moving a point": (1, lambda it: it.set("C", 0.001), "set C (cost of slack) to ∞"),
    "a kernel changes what a width is": (1, lambda it: it.set("kernel", "rbf"), "set Kernel to linear"),
    "of two points both are support vectors": (2, keep_two, "at least 40 points"),
    "two points are right with any kernel": (4, keep_two, "at least 100 points"),
    "two points are two islands": (5, keep_two, "at least 100 points"),
    "a stump is right on two points": (12, keep_two, "at least 100 points"),
    "boxes need fewer rounds": (12, lambda it: it.set("estimator", "box"), "set Weak learner to stump"),
}


@pytest.mark.parametrize("shortcut", SHORTCUTS)
def test_a_lesson_is_not_solved_by_a_shortcut(playground, shortcut):
    number, take, said = SHORTCUTS[shortcut]
    open_lesson(playground, number)
    take(playground)
    assert playground.js("playground.lessons.finished") is False
    assert said in playground.page.inner_text("#lesson .state")
    assert playground.page.get_attribute("#lesson", "class") == "card"
