// Sets the theme before the first paint. In a frame of another page, `?theme=dark` decides. This is a file of its own, since the content security
// policy allows no inline script. It also loads a page again that could not start, as while servers are updated one after another, when page
// and scripts may come from different versions.
(function () {
  var dark = matchMedia('(prefers-color-scheme: dark)');
  /** Kept for the frame, since the address changes with the view. */
  function askedTheme() {
    if (parent === window) return null;
    var found = /[?&]theme=(light|dark)(&|$)/.exec(location.search);
    try {
      if (found) sessionStorage.setItem('theme', found[1]);
      return sessionStorage.getItem('theme');
    } catch {
      return found && found[1];
    }
  }
  var asked = document.documentElement.dataset.askedTheme || askedTheme();
  function apply() {
    var chosen = null;
    try {
      chosen = localStorage.getItem('theme');
    } catch {
      // A browser that forbids storage follows the system.
    }
    if (asked) chosen = asked;
    var theme = chosen === 'light' || chosen === 'dark' ? chosen : dark.matches ? 'dark' : 'light';
    document.documentElement.dataset.theme = theme;
  }
  apply();
  dark.addEventListener('change', apply);
  addEventListener('storage', apply);
  addEventListener('footfall:theme', apply);
  addEventListener('beforeprint', function () {
    document.documentElement.dataset.theme = 'light';
  });
  addEventListener('afterprint', apply);

  var MINUTE_MS = 60000;
  function isWaiting() {
    // The page removes it once it starts. A script may be missing before it is there.
    return document.readyState === 'loading' || document.getElementById('shell') !== null;
  }
  function wait() {
    setTimeout(function () {
      if (!isWaiting()) return;
      // Not while the server cannot be reached: the browser's own error page would stay.
      fetch('/_app/version.json').then(function () {
        location.reload();
      }, wait);
    }, MINUTE_MS);
  }
  function failed(event) {
    if (event.target.tagName !== 'LINK' || !isWaiting()) return;
    removeEventListener('error', failed, true);
    wait();
  }
  addEventListener('error', failed, true);
})();
