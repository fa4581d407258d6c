// Typeset formulas: from {page: [[TeX, whether it is displayed], ...]} on stdin to
// {page: {formulas: [HTML, ...], style: CSS}} on stdout.
"use strict";
const settings = {
  loader: { load: ["input/tex", "output/chtml", "a11y/assistive-mml"] },
  startup: { typeset: false },
  tex: {
    packages: { "[-]": ["noerrors", "noundefined"] }, // an error ends the build
    formatError: (_, error) => { throw new Error(error.message); },
  },
};

require("./node-main.js").init(settings).then(async (MathJax) => {
  const { adaptor, output } = MathJax.startup;

  async function typeset(page, formulas) {
    output.clearCache(); // the style of a page has what this page needs
    output.chtmlStyles = null;
    const html = [];
    for (const [tex, display] of formulas) {
      try {
        html.push(adaptor.outerHTML(await MathJax.tex2chtmlPromise(tex, { display })));
      } catch (error) {
        throw new Error(`${page}: ${tex.trim()}: ${error.message}`);
      }
    }
    const style = adaptor.textContent(MathJax.chtmlStylesheet());
    return { formulas: html, style: style.replace(/@font-face[^}]*}/g, "").replace(/\s*\n\s*/g, "") };
  }

  const result = {};
  const pages = JSON.parse(require("fs").readFileSync(0, "utf-8"));
  for (const [page, formulas] of Object.entries(pages)) result[page] = await typeset(page, formulas);
  process.stdout.write(JSON.stringify(result));
}).catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
