// What `foot.js?data-site=example.com&data-foot-plan=pro` answers, for tag managers that load a script but cannot give its element attributes:
// this adds the element of foot.js, with those that the address names.
(function () {
  var own = document.currentScript;
  var address = new URL(own.src);
  var script = document.createElement('script');
  address.searchParams.forEach(function (value, name) {
    if (/^data-[\w-]+$/.test(name)) script.setAttribute(name, value);
  });
  script.nonce = own.nonce;
  script.src = address.origin + address.pathname;
  document.head.append(script);
})();
