// Sets the theme before the first paint; a file of its own, since the content security policy allows no inline script.
(function () {
  var dark = matchMedia('(prefers-color-scheme: dark)');
  function apply() {
    var chosen = null;
    try {
      chosen = localStorage.getItem('theme');
    } catch {
      // A browser that forbids storage follows the system.
    }
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
})();
