// What tools/pdf.py asks the assembled page before and between the two prints.

// Make what is too wide smaller, down to a limit, and return what is still wider than the paper.
function fit() {
  const tooWide = [];
  for (const pre of document.querySelectorAll(".bd-article pre")) {
    if (!pre.textContent.trim().includes("\n")) continue;  // a single line has no columns: it wraps
    pre.style.whiteSpace = "pre";
    const size = parseFloat(getComputedStyle(pre).fontSize);
    const inset = parseFloat(getComputedStyle(pre).paddingLeft) * 2;
    const needed = (pre.scrollWidth - inset) / (pre.clientWidth - inset);
    if (needed <= 1) continue;
    if (needed < 1.3) pre.style.fontSize = `${Math.floor(size / needed * 20) / 20}px`;
    else pre.style.whiteSpace = "";
  }
  for (const math of document.querySelectorAll('.bd-article mjx-container[display="true"]')) {
    const needed = math.scrollWidth / math.clientWidth;
    if (needed > 1) math.style.fontSize = `${Math.floor(100 / needed)}%`;
  }
  for (const table of document.querySelectorAll(".bd-article table"))
    if (table.scrollWidth > table.parentElement.clientWidth) table.classList.add("ttv-tight");
  const page = document.querySelector(".bd-main").getBoundingClientRect();
  const gutter = 16;
  for (const tag of document.querySelectorAll(".bd-article *")) {
    if (tag.closest("mjx-assistive-mml, svg")) continue;
    const box = tag.getBoundingClientRect();
    if (box.width && (box.right > page.right + gutter || box.left < page.left - gutter))
      tooWide.push(`${tag.tagName.toLowerCase()}.${tag.className} in ` +
        `${tag.closest(".ttv-page")?.id}: ${tag.textContent.trim().slice(0, 40)}`);
  }
  return tooWide;
}

// Write the numbers of pages into the table of contents.
function number(numbers) {
  for (const span of document.querySelectorAll(".ttv-number"))
    span.textContent = numbers[span.dataset.of];
}

function headings() {
  return [...document.querySelectorAll("h1, h2, h3, h4, h5, h6")]
    .filter(heading => heading.checkVisibility())
    .map(heading => heading.innerText.replace(/\s+/g, " ").trim());
}
