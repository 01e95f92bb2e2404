/** A web server for pages that a test writes, on 127.0.0.1. */

import { once } from 'node:events';
import { createServer } from 'node:http';

export class Site {
  /** Path -> HTML text, or a function that answers itself. */
  pages = new Map();

  static async open() {
    const site = new Site();
    site.server = createServer((request, response) => site.#answer(request, response));
    site.server.listen(0, '127.0.0.1');
    await once(site.server, 'listening');
    site.origin = `http://127.0.0.1:${site.server.address().port}`;
    return site;
  }

  url(path) {
    return this.origin + path;
  }

  async close() {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  #answer(request, response) {
    const page = this.pages.get(request.url.split('?')[0]);
    if (typeof page === 'function') return page(response);
    response.writeHead(page === undefined ? 404 : 200, {
      'content-type': 'text/html; charset=utf-8',
    });
    response.end(page ?? '');
  }
}
