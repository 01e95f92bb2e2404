// Sends the form as JSON and shows what the server says it has saved.

const columns = document.querySelector('.columns');
const form = document.getElementById('booking');
const button = form.querySelector('button');
const problem = document.getElementById('problem');
// One token a page: pressing twice, or a repeated request, books once.
const token = crypto.randomUUID();

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  problem.hidden = true;
  button.disabled = true;
  const fields = new FormData(form);
  const booking = {
    token,
    service: fields.get('service'),
    time: fields.get('time'),
    name: fields.get('name'),
    email: fields.get('email'),
    notes: fields.get('notes'),
    terms: fields.get('terms') === 'on',
  };
  try {
    const answer = await fetch('bookings', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(booking),
    });
    const saved = await answer.json();
    if (!answer.ok) throw new Error(saved.error);
    show(saved);
  } catch (error) {
    problem.textContent = error.message;
    problem.hidden = false;
    button.disabled = false;
  }
});

markTaken();

/** The times are part of the page, so it is complete at once; this only says which are gone. */
async function markTaken() {
  const answer = await fetch('taken', { cache: 'no-store' });
  for (const time of await answer.json()) {
    const entry = document.querySelector(`li[data-time="${time}"]`);
    entry.classList.add('taken');
    entry.querySelector('span').textContent = 'taken';
    form.querySelector(`option[value="${time}"]`).disabled = true;
  }
}

function show(saved) {
  const option = form.querySelector(`option[value="${saved.time}"]`);
  document.getElementById('summary').textContent = `${saved.name}, ${option.textContent}`;
  document.getElementById('reference').textContent = saved.reference;
  columns.hidden = true;
  document.getElementById('done').hidden = false;
}
