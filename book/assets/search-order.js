// Which results of a search come first: the chapters, and of these the one that is named as the search.
// Sphinx puts this file into its own (html_search_scorer); the numbers below `score` are Sphinx's.
var Scorer = {
  score: ([page, , , , score]) => {
    const asked = new URLSearchParams(location.search).get("q")?.trim().toLowerCase();
    if (page === `book/${asked}`) return score + 200;
    const isChapter = !/^book\/(api|bibliography|corrections|glossary|index|notation|playground|speed|teachers)\b/.test(page);
    return isChapter ? score + 100 : score;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
