// Asks for the pick-up details when a person (or a model) presses the button, and shows them.

const button = document.getElementById('show');
const details = document.getElementById('details');
const problem = document.getElementById('problem');

button.addEventListener('click', async () => {
  button.disabled = true;
  try {
    const answer = await fetch('details', { method: 'POST' });
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    const record = await answer.json();
    for (const field of ['locker', 'code', 'until']) {
      document.getElementById(field).textContent = record[field];
    }
    details.hidden = false;
    button.hidden = true;
  } catch {
    problem.textContent = 'The details could not be loaded. Try again.';
    problem.hidden = false;
    button.disabled = false;
  }
});
