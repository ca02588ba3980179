// Sends what WordPress knows about this page, such as a search or an order. It stands in the snippet, so the page needs no inline script.
(function () {
  var snippet = document.querySelector('script[data-site][data-events]');
  window.footfall =
    window.footfall ||
    function () {
      (window.footfall.q = window.footfall.q || []).push(arguments);
    };
  JSON.parse(snippet ? snippet.dataset.events : '[]').forEach(function (event) {
    window.footfall(event[0], event[1]);
  });
})();
