addEventListener("load", () => {
  const page = document.documentElement;
  const height = page.scrollHeight;
  for (const one of document.querySelectorAll("details")) one.open = true;
  const scrolls = (one) => {
    for (let at = one.parentElement; at; at = at.parentElement)
      if (["auto", "scroll", "hidden"].includes(getComputedStyle(at).overflowX)) return true;
    return false;
  };
  const wide = [...document.body.querySelectorAll("*")].filter(
    (one) => one.getBoundingClientRect().right > innerWidth + 0.5 && !scrolls(one) && !one.closest("svg"),
  );
  const clipped = [...document.querySelectorAll("figure svg text")].filter((one) => {
    const [text, plot] = [one.getBoundingClientRect(), one.ownerSVGElement.getBoundingClientRect()];
    return text.left < plot.left - 1 || text.right > plot.right + 1;
  });
  const named = (all) => all.slice(0, 5).map((one) => one.nodeName + ":" + one.textContent.trim().slice(0, 30)).join(", ");
  const told = {
    shown: page.clientWidth, needed: page.scrollWidth, height,
    paper: getComputedStyle(document.body).backgroundColor, ink: getComputedStyle(document.body).color,
    plots: document.querySelectorAll("figure svg").length,
    wide: named(wide), clipped: named(clipped),
  };
  parent.postMessage(Object.entries(told).map(([key, value]) => key + "=" + value).join("|"), "*");
});
