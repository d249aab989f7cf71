
// Only algorithms with the chosen properties are shown, in tables and charts.
const form = document.querySelector('.choose');
form.hidden = false;
const choose = () => {
  const sensing = all('[name=sensing]:checked', form).map((box) => box.value);
  const complete = form.elements.complete.checked;
  let shown = 0;
  for (const each of all('[data-sensing]')) {
    const fits = (!each.dataset.sensing || sensing.includes(each.dataset.sensing))
      && (!complete || each.dataset.complete === '1');
    each.toggleAttribute('hidden', !fits);
    each.style.display = fits ? '' : 'none';
    shown += fits;
  }
  form.querySelector('.none').hidden = shown > 0;
};
form.addEventListener('change', choose);
form.addEventListener('submit', (event) => event.preventDefault());
choose();

// Printing opens all tables.
window.addEventListener('beforeprint', () => all('details').forEach((each) => { each.open = true; }));
