// SPDX-License-Identifier: MIT
// A bar of colours with its label and numbers.

const div = (className) => Object.assign(document.createElement("div"), { className });

export function fillLegend(element, scale) {
  const [label, bar, ends] = ["label", "bar", "ends"].map(div);
  label.textContent = scale.label;
  bar.style.background = `linear-gradient(to right, ${scale.colours.join(",")})`;
  ends.append(...scale.values.map((each) => (
    Object.assign(document.createElement("span"), { textContent: Number(each.toPrecision(3)) }))));
  element.replaceChildren(label, bar, ends);
}
