'use strict';
const all = (selector, root = document) => [...root.querySelectorAll(selector)];

// A click on a heading sorts the table; a second click reverses the order.
for (const table of all('table.sortable')) {
  const heads = all('thead tr:last-child th', table), body = table.tBodies[0];
  heads.forEach((head, column) => head.querySelector('button').addEventListener('click', () => {
    const sign = head.getAttribute('aria-sort') === 'ascending' ? -1 : 1;
    heads.forEach((other) => other.removeAttribute('aria-sort'));
    head.setAttribute('aria-sort', sign > 0 ? 'ascending' : 'descending');
    const value = (row) => row.cells[column].dataset.v ?? row.cells[column].textContent.trim();
    const number = (text) => parseFloat(text.replace(/\s/g, ''));
    [...body.rows].sort((a, b) => {
      const x = value(a), y = value(b);
      return sign * (column ? number(x) - number(y) : x.localeCompare(y));
    }).forEach((row) => body.append(row));
  }));
}

// A click on a name highlights it everywhere; a second click removes the highlight.
for (const chip of all('.chip')) {
  chip.addEventListener('click', () => {
    const on = chip.getAttribute('aria-pressed') !== 'true';
    all('.chip').forEach((other) => other.setAttribute('aria-pressed', other === chip && on));
    all('[data-s]').forEach((each) =>
      each.classList.toggle('dim', on && each.dataset.s !== chip.dataset.focus));
  });
}

// A click copies a command, or selects it if copying fails.
for (const button of all('.copy')) {
  button.hidden = false;
  button.addEventListener('click', async () => {
    const code = button.previousElementSibling;
    getSelection().selectAllChildren(code);
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = 'copied';
    } catch {
      button.textContent = document.execCommand('copy') ? 'copied' : 'selected';
    }
    setTimeout(() => { button.textContent = 'copy'; }, 1500);
  });
}
