// A person who is asked in the console, without a browser: signs in and sends its forms, as a
// browser would. `run` has set the console up, and says in VAAK_CONSOLE_EMAIL and
// VAAK_CONSOLE_PASSWORD who signs in.
import assert from "node:assert/strict";

// Person keeps the cookie of a browser.
export class Person {
  async request(url, form) {
    const response = await fetch(url, {
      redirect: "manual",
      method: form ? "POST" : "GET",
      headers: { ...(this.cookie && { cookie: this.cookie }), ...(form && { origin: new URL(url).origin }) },
      body: form && new URLSearchParams(form),
    });
    const [cookie] = response.headers.getSetCookie();
    if (cookie) this.cookie = cookie.split(";")[0];
    return response;
  }

  // moved sends a form, which has to lead on, and returns where.
  async moved(url, form) {
    const response = await this.request(url, form);
    assert.equal(response.status, 303, `${url}: ${await response.text()}`);
    return new URL(response.headers.get("location"), url);
  }

  // opened opens a page, and signs in where it wants that.
  async opened(url) {
    let response = await this.request(url);
    if (response.status === 303) {
      const signin = new URL(response.headers.get("location"), url);
      const back = await this.moved(signin, {
        email: process.env.VAAK_CONSOLE_EMAIL, password: process.env.VAAK_CONSOLE_PASSWORD, to: signin.searchParams.get("to"),
      });
      assert.equal(back.href, String(url), "signing in leads back");
      response = await this.request(back);
    }
    return { response, page: await response.text() };
  }

  // answers opens the page to which an application sends a person, and answers it: with those of
  // the scopes that keep takes. It returns where the person is sent back, and the page.
  async answers(url, answer = "allow", keep = () => true) {
    const { response, page } = await this.opened(url);
    assert.equal(response.status, 200, page);
    assert.match(response.headers.get("content-security-policy"), /frame-ancestors 'none'/);
    const scopes = [...page.matchAll(/name="scope" value="([^"]+)"/g)].map(([, name]) => name);
    const form = new URLSearchParams({
      request: page.match(/name="request" value="([^"]+)"/)[1],
      once: page.match(/name="once" value="([^"]+)"/)[1],
      org: page.match(/<option value="(org_[^"]+)"/)[1],
      answer,
    });
    for (const scope of scopes.filter(keep)) form.append("scope", scope);
    const to = await this.moved(new URL("/oauth/authorize", url), form);
    return { to, page, scopes, org: form.get("org") };
  }
}
