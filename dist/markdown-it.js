var __getOwnPropNames = Object.getOwnPropertyNames;
var __commonJS = (cb, mod) => function __require() {
  try {
    return mod || (0, cb[__getOwnPropNames(cb)[0]])((mod = { exports: {} }).exports, mod), mod.exports;
  } catch (e) {
    throw mod = 0, e;
  }
};

// node_modules/mdurl/build/index.cjs.js
var require_index_cjs = __commonJS({
  "node_modules/mdurl/build/index.cjs.js"(exports2) {
    "use strict";
    var decodeCache = {};
    function getDecodeCache(e) {
      let s = decodeCache[e];
      if (s) return s;
      s = decodeCache[e] = [];
      for (let n = 0; n < 128; n++) {
        const i = String.fromCharCode(n);
        s.push(i);
      }
      for (let n = 0; n < e.length; n++) {
        const i = e.charCodeAt(n);
        s[i] = "%" + ("0" + i.toString(16).toUpperCase()).slice(-2);
      }
      return s;
    }
    function decode(e, s) {
      typeof s != "string" && (s = decode.defaultChars);
      const n = getDecodeCache(s);
      return e.replace(/(%[a-f0-9]{2})+/gi, function(i) {
        let a = "";
        for (let t = 0, h = i.length; t < h; t += 3) {
          const r = parseInt(i.slice(t + 1, t + 3), 16);
          if (r < 128) {
            a += n[r];
            continue;
          }
          if ((r & 224) === 192 && t + 3 < h) {
            const f = parseInt(i.slice(t + 4, t + 6), 16);
            if ((f & 192) === 128) {
              const o = r << 6 & 1984 | f & 63;
              o < 128 ? a += "\uFFFD\uFFFD" : a += String.fromCharCode(o), t += 3;
              continue;
            }
          }
          if ((r & 240) === 224 && t + 6 < h) {
            const f = parseInt(i.slice(t + 4, t + 6), 16), o = parseInt(i.slice(t + 7, t + 9), 16);
            if ((f & 192) === 128 && (o & 192) === 128) {
              const p = r << 12 & 61440 | f << 6 & 4032 | o & 63;
              p < 2048 || p >= 55296 && p <= 57343 ? a += "\uFFFD\uFFFD\uFFFD" : a += String.fromCharCode(p), t += 6;
              continue;
            }
          }
          if ((r & 248) === 240 && t + 9 < h) {
            const f = parseInt(i.slice(t + 4, t + 6), 16), o = parseInt(i.slice(t + 7, t + 9), 16), p = parseInt(i.slice(t + 10, t + 12), 16);
            if ((f & 192) === 128 && (o & 192) === 128 && (p & 192) === 128) {
              let l = r << 18 & 1835008 | f << 12 & 258048 | o << 6 & 4032 | p & 63;
              l < 65536 || l > 1114111 ? a += "\uFFFD\uFFFD\uFFFD\uFFFD" : (l -= 65536, a += String.fromCharCode(55296 + (l >> 10), 56320 + (l & 1023))), t += 9;
              continue;
            }
          }
          a += "\uFFFD";
        }
        return a;
      });
    }
    decode.defaultChars = ";/?:@&=+$,#", decode.componentChars = "";
    var encodeCache = {};
    function getEncodeCache(e) {
      let s = encodeCache[e];
      if (s) return s;
      s = encodeCache[e] = [];
      for (let n = 0; n < 128; n++) {
        const i = String.fromCharCode(n);
        /^[0-9a-z]$/i.test(i) ? s.push(i) : s.push("%" + ("0" + n.toString(16).toUpperCase()).slice(-2));
      }
      for (let n = 0; n < e.length; n++) s[e.charCodeAt(n)] = e[n];
      return s;
    }
    function encode(e, s, n) {
      typeof s != "string" && (n = s, s = encode.defaultChars), typeof n > "u" && (n = true);
      const i = getEncodeCache(s);
      let a = "";
      for (let t = 0, h = e.length; t < h; t++) {
        const r = e.charCodeAt(t);
        if (n && r === 37 && t + 2 < h && /^[0-9a-f]{2}$/i.test(e.slice(t + 1, t + 3))) {
          a += e.slice(t, t + 3), t += 2;
          continue;
        }
        if (r < 128) {
          a += i[r];
          continue;
        }
        if (r >= 55296 && r <= 57343) {
          if (r >= 55296 && r <= 56319 && t + 1 < h) {
            const f = e.charCodeAt(t + 1);
            if (f >= 56320 && f <= 57343) {
              a += encodeURIComponent(e[t] + e[t + 1]), t++;
              continue;
            }
          }
          a += "%EF%BF%BD";
          continue;
        }
        a += encodeURIComponent(e[t]);
      }
      return a;
    }
    encode.defaultChars = ";/?:@&=+$,-_.!~*'()#", encode.componentChars = "-_.!~*'()";
    function format(e) {
      let s = "";
      return s += e.protocol || "", s += e.slashes ? "//" : "", s += e.auth ? e.auth + "@" : "", e.hostname && e.hostname.indexOf(":") !== -1 ? s += "[" + e.hostname + "]" : s += e.hostname || "", s += e.port ? ":" + e.port : "", s += e.pathname || "", s += e.search || "", s += e.hash || "", s;
    }
    function Url() {
      this.protocol = null, this.slashes = null, this.auth = null, this.port = null, this.hostname = null, this.hash = null, this.search = null, this.pathname = null;
    }
    var protocolPattern = /^([a-z0-9.+-]+:)/i;
    var portPattern = /:[0-9]*$/;
    var simplePathPattern = /^(\/\/?(?!\/)[^\?\s]*)(\?[^\s]*)?$/;
    var delims = ["<", ">", '"', "`", " ", "\r", `
`, "	"];
    var unwise = ["{", "}", "|", "\\", "^", "`"].concat(delims);
    var autoEscape = ["'"].concat(unwise);
    var nonHostChars = ["%", "/", "?", ";", "#"].concat(autoEscape);
    var hostEndingChars = ["/", "?", "#"];
    var hostnameMaxLen = 255;
    var hostnamePartPattern = /^[+a-z0-9A-Z_-]{0,63}$/;
    var hostnamePartStart = /^([+a-z0-9A-Z_-]{0,63})(.*)$/;
    var hostlessProtocol = { javascript: true, "javascript:": true };
    var slashedProtocol = { http: true, https: true, ftp: true, gopher: true, file: true, "http:": true, "https:": true, "ftp:": true, "gopher:": true, "file:": true };
    function urlParse(e, s) {
      if (e && e instanceof Url) return e;
      const n = new Url();
      return n.parse(e, s), n;
    }
    Url.prototype.parse = function(e, s) {
      let n, i, a, t = e;
      if (t = t.trim(), !s && e.split("#").length === 1) {
        const o = simplePathPattern.exec(t);
        if (o) return this.pathname = o[1], o[2] && (this.search = o[2]), this;
      }
      let h = protocolPattern.exec(t);
      if (h && (h = h[0], n = h.toLowerCase(), this.protocol = h, t = t.substr(h.length)), (s || h || t.match(/^\/\/[^@\/]+@[^@\/]+/)) && (a = t.substr(0, 2) === "//", a && !(h && hostlessProtocol[h]) && (t = t.substr(2), this.slashes = true)), !hostlessProtocol[h] && (a || h && !slashedProtocol[h])) {
        let o = -1;
        for (let c = 0; c < hostEndingChars.length; c++) i = t.indexOf(hostEndingChars[c]), i !== -1 && (o === -1 || i < o) && (o = i);
        let p, l;
        o === -1 ? l = t.lastIndexOf("@") : l = t.lastIndexOf("@", o), l !== -1 && (p = t.slice(0, l), t = t.slice(l + 1), this.auth = p), o = -1;
        for (let c = 0; c < nonHostChars.length; c++) i = t.indexOf(nonHostChars[c]), i !== -1 && (o === -1 || i < o) && (o = i);
        o === -1 && (o = t.length), t[o - 1] === ":" && o--;
        const b = t.slice(0, o);
        t = t.slice(o), this.parseHost(b), this.hostname = this.hostname || "";
        const g = this.hostname[0] === "[" && this.hostname[this.hostname.length - 1] === "]";
        if (!g) {
          const c = this.hostname.split(/\./);
          for (let m = 0, P = c.length; m < P; m++) {
            const x = c[m];
            if (x && !x.match(hostnamePartPattern)) {
              let d = "";
              for (let u = 0, C = x.length; u < C; u++) x.charCodeAt(u) > 127 ? d += "x" : d += x[u];
              if (!d.match(hostnamePartPattern)) {
                const u = c.slice(0, m), C = c.slice(m + 1), F = x.match(hostnamePartStart);
                F && (u.push(F[1]), C.unshift(F[2])), C.length && (t = C.join(".") + t), this.hostname = u.join(".");
                break;
              }
            }
          }
        }
        this.hostname.length > hostnameMaxLen && (this.hostname = ""), g && (this.hostname = this.hostname.substr(1, this.hostname.length - 2));
      }
      const r = t.indexOf("#");
      r !== -1 && (this.hash = t.substr(r), t = t.slice(0, r));
      const f = t.indexOf("?");
      return f !== -1 && (this.search = t.substr(f), t = t.slice(0, f)), t && (this.pathname = t), slashedProtocol[n] && this.hostname && !this.pathname && (this.pathname = ""), this;
    }, Url.prototype.parseHost = function(e) {
      let s = portPattern.exec(e);
      s && (s = s[0], s !== ":" && (this.port = s.substr(1)), e = e.substr(0, e.length - s.length)), e && (this.hostname = e);
    }, exports2.decode = decode, exports2.encode = encode, exports2.format = format, exports2.parse = urlParse;
  }
});

// node_modules/uc.micro/build/index.cjs.js
var require_index_cjs2 = __commonJS({
  "node_modules/uc.micro/build/index.cjs.js"(exports2) {
    "use strict";
    var Any = /[\0-\uD7FF\uE000-\uFFFF]|[\uD800-\uDBFF][\uDC00-\uDFFF]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?:[^\uD800-\uDBFF]|^)[\uDC00-\uDFFF]/;
    var Cc = /[\0-\x1F\x7F-\x9F]/;
    var Cf = /[\xAD\u0600-\u0605\u061C\u06DD\u070F\u0890\u0891\u08E2\u180E\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u206F\uFEFF\uFFF9-\uFFFB]|\uD804[\uDCBD\uDCCD]|\uD80D[\uDC30-\uDC3F]|\uD82F[\uDCA0-\uDCA3]|\uD834[\uDD73-\uDD7A]|\uDB40[\uDC01\uDC20-\uDC7F]/;
    var P = /[!-#%-\*,-\/:;\?@\[-\]_\{\}\xA1\xA7\xAB\xB6\xB7\xBB\xBF\u037E\u0387\u055A-\u055F\u0589\u058A\u05BE\u05C0\u05C3\u05C6\u05F3\u05F4\u0609\u060A\u060C\u060D\u061B\u061D-\u061F\u066A-\u066D\u06D4\u0700-\u070D\u07F7-\u07F9\u0830-\u083E\u085E\u0964\u0965\u0970\u09FD\u0A76\u0AF0\u0C77\u0C84\u0DF4\u0E4F\u0E5A\u0E5B\u0F04-\u0F12\u0F14\u0F3A-\u0F3D\u0F85\u0FD0-\u0FD4\u0FD9\u0FDA\u104A-\u104F\u10FB\u1360-\u1368\u1400\u166E\u169B\u169C\u16EB-\u16ED\u1735\u1736\u17D4-\u17D6\u17D8-\u17DA\u1800-\u180A\u1944\u1945\u1A1E\u1A1F\u1AA0-\u1AA6\u1AA8-\u1AAD\u1B4E\u1B4F\u1B5A-\u1B60\u1B7D-\u1B7F\u1BFC-\u1BFF\u1C3B-\u1C3F\u1C7E\u1C7F\u1CC0-\u1CC7\u1CD3\u2010-\u2027\u2030-\u2043\u2045-\u2051\u2053-\u205E\u207D\u207E\u208D\u208E\u2308-\u230B\u2329\u232A\u2768-\u2775\u27C5\u27C6\u27E6-\u27EF\u2983-\u2998\u29D8-\u29DB\u29FC\u29FD\u2CF9-\u2CFC\u2CFE\u2CFF\u2D70\u2E00-\u2E2E\u2E30-\u2E4F\u2E52-\u2E5D\u3001-\u3003\u3008-\u3011\u3014-\u301F\u3030\u303D\u30A0\u30FB\uA4FE\uA4FF\uA60D-\uA60F\uA673\uA67E\uA6F2-\uA6F7\uA874-\uA877\uA8CE\uA8CF\uA8F8-\uA8FA\uA8FC\uA92E\uA92F\uA95F\uA9C1-\uA9CD\uA9DE\uA9DF\uAA5C-\uAA5F\uAADE\uAADF\uAAF0\uAAF1\uABEB\uFD3E\uFD3F\uFE10-\uFE19\uFE30-\uFE52\uFE54-\uFE61\uFE63\uFE68\uFE6A\uFE6B\uFF01-\uFF03\uFF05-\uFF0A\uFF0C-\uFF0F\uFF1A\uFF1B\uFF1F\uFF20\uFF3B-\uFF3D\uFF3F\uFF5B\uFF5D\uFF5F-\uFF65]|\uD800[\uDD00-\uDD02\uDF9F\uDFD0]|\uD801\uDD6F|\uD802[\uDC57\uDD1F\uDD3F\uDE50-\uDE58\uDE7F\uDEF0-\uDEF6\uDF39-\uDF3F\uDF99-\uDF9C]|\uD803[\uDD6E\uDEAD\uDED0\uDF55-\uDF59\uDF86-\uDF89]|\uD804[\uDC47-\uDC4D\uDCBB\uDCBC\uDCBE-\uDCC1\uDD40-\uDD43\uDD74\uDD75\uDDC5-\uDDC8\uDDCD\uDDDB\uDDDD-\uDDDF\uDE38-\uDE3D\uDEA9\uDFD4\uDFD5\uDFD7\uDFD8]|\uD805[\uDC4B-\uDC4F\uDC5A\uDC5B\uDC5D\uDCC6\uDDC1-\uDDD7\uDE41-\uDE43\uDE60-\uDE6C\uDEB9\uDF3C-\uDF3E]|\uD806[\uDC3B\uDD44-\uDD46\uDDE2\uDE3F-\uDE46\uDE9A-\uDE9C\uDE9E-\uDEA2\uDF00-\uDF09\uDFE1]|\uD807[\uDC41-\uDC45\uDC70\uDC71\uDEF7\uDEF8\uDF43-\uDF4F\uDFFF]|\uD809[\uDC70-\uDC74]|\uD80B[\uDFF1\uDFF2]|\uD81A[\uDE6E\uDE6F\uDEF5\uDF37-\uDF3B\uDF44]|\uD81B[\uDD6D-\uDD6F\uDE97-\uDE9A\uDFE2]|\uD82F\uDC9F|\uD836[\uDE87-\uDE8B]|\uD839\uDDFF|\uD83A[\uDD5E\uDD5F]/;
    var S = /[\$\+<->\^`\|~\xA2-\xA6\xA8\xA9\xAC\xAE-\xB1\xB4\xB8\xD7\xF7\u02C2-\u02C5\u02D2-\u02DF\u02E5-\u02EB\u02ED\u02EF-\u02FF\u0375\u0384\u0385\u03F6\u0482\u058D-\u058F\u0606-\u0608\u060B\u060E\u060F\u06DE\u06E9\u06FD\u06FE\u07F6\u07FE\u07FF\u0888\u09F2\u09F3\u09FA\u09FB\u0AF1\u0B70\u0BF3-\u0BFA\u0C7F\u0D4F\u0D79\u0E3F\u0F01-\u0F03\u0F13\u0F15-\u0F17\u0F1A-\u0F1F\u0F34\u0F36\u0F38\u0FBE-\u0FC5\u0FC7-\u0FCC\u0FCE\u0FCF\u0FD5-\u0FD8\u109E\u109F\u1390-\u1399\u166D\u17DB\u1940\u19DE-\u19FF\u1B61-\u1B6A\u1B74-\u1B7C\u1FBD\u1FBF-\u1FC1\u1FCD-\u1FCF\u1FDD-\u1FDF\u1FED-\u1FEF\u1FFD\u1FFE\u2044\u2052\u207A-\u207C\u208A-\u208C\u20A0-\u20C1\u2100\u2101\u2103-\u2106\u2108\u2109\u2114\u2116-\u2118\u211E-\u2123\u2125\u2127\u2129\u212E\u213A\u213B\u2140-\u2144\u214A-\u214D\u214F\u218A\u218B\u2190-\u2307\u230C-\u2328\u232B-\u2429\u2440-\u244A\u249C-\u24E9\u2500-\u2767\u2794-\u27C4\u27C7-\u27E5\u27F0-\u2982\u2999-\u29D7\u29DC-\u29FB\u29FE-\u2B73\u2B76-\u2BFF\u2CE5-\u2CEA\u2E50\u2E51\u2E80-\u2E99\u2E9B-\u2EF3\u2F00-\u2FD5\u2FF0-\u2FFF\u3004\u3012\u3013\u3020\u3036\u3037\u303E\u303F\u309B\u309C\u3190\u3191\u3196-\u319F\u31C0-\u31E5\u31EF\u3200-\u321E\u322A-\u3247\u3250\u3260-\u327F\u328A-\u32B0\u32C0-\u33FF\u4DC0-\u4DFF\uA490-\uA4C6\uA700-\uA716\uA720\uA721\uA789\uA78A\uA828-\uA82B\uA836-\uA839\uAA77-\uAA79\uAB5B\uAB6A\uAB6B\uFB29\uFBB2-\uFBD2\uFD40-\uFD4F\uFD90\uFD91\uFDC8-\uFDCF\uFDFC-\uFDFF\uFE62\uFE64-\uFE66\uFE69\uFF04\uFF0B\uFF1C-\uFF1E\uFF3E\uFF40\uFF5C\uFF5E\uFFE0-\uFFE6\uFFE8-\uFFEE\uFFFC\uFFFD]|\uD800[\uDD37-\uDD3F\uDD79-\uDD89\uDD8C-\uDD8E\uDD90-\uDD9C\uDDA0\uDDD0-\uDDFC]|\uD802[\uDC77\uDC78\uDEC8]|\uD803[\uDD8E\uDD8F\uDED1-\uDED8]|\uD805\uDF3F|\uD807[\uDFD5-\uDFF1]|\uD81A[\uDF3C-\uDF3F\uDF45]|\uD82F\uDC9C|\uD833[\uDC00-\uDCEF\uDCFA-\uDCFC\uDD00-\uDEB3\uDEBA-\uDED0\uDEE0-\uDEF0\uDF50-\uDFC3]|\uD834[\uDC00-\uDCF5\uDD00-\uDD26\uDD29-\uDD64\uDD6A-\uDD6C\uDD83\uDD84\uDD8C-\uDDA9\uDDAE-\uDDEA\uDE00-\uDE41\uDE45\uDF00-\uDF56]|\uD835[\uDEC1\uDEDB\uDEFB\uDF15\uDF35\uDF4F\uDF6F\uDF89\uDFA9\uDFC3]|\uD836[\uDC00-\uDDFF\uDE37-\uDE3A\uDE6D-\uDE74\uDE76-\uDE83\uDE85\uDE86]|\uD838[\uDD4F\uDEFF]|\uD83B[\uDCAC\uDCB0\uDD2E\uDEF0\uDEF1]|\uD83C[\uDC00-\uDC2B\uDC30-\uDC93\uDCA0-\uDCAE\uDCB1-\uDCBF\uDCC1-\uDCCF\uDCD1-\uDCF5\uDD0D-\uDDAD\uDDE6-\uDE02\uDE10-\uDE3B\uDE40-\uDE48\uDE50\uDE51\uDE60-\uDE65\uDF00-\uDFFF]|\uD83D[\uDC00-\uDED8\uDEDC-\uDEEC\uDEF0-\uDEFC\uDF00-\uDFD9\uDFE0-\uDFEB\uDFF0]|\uD83E[\uDC00-\uDC0B\uDC10-\uDC47\uDC50-\uDC59\uDC60-\uDC87\uDC90-\uDCAD\uDCB0-\uDCBB\uDCC0\uDCC1\uDCD0-\uDCD8\uDD00-\uDE57\uDE60-\uDE6D\uDE70-\uDE7C\uDE80-\uDE8A\uDE8E-\uDEC6\uDEC8\uDECD-\uDEDC\uDEDF-\uDEEA\uDEEF-\uDEF8\uDF00-\uDF92\uDF94-\uDFEF\uDFFA]/;
    var Z = /[ \xA0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000]/;
    exports2.Any = Any, exports2.Cc = Cc, exports2.Cf = Cf, exports2.P = P, exports2.S = S, exports2.Z = Z;
  }
});

// node_modules/linkify-it/build/index.cjs.js
var require_index_cjs3 = __commonJS({
  "node_modules/linkify-it/build/index.cjs.js"(exports2) {
    Object.defineProperty(exports2, Symbol.toStringTag, { value: "Module" });
    var uc_micro2 = require_index_cjs2();
    function _typeof2(e) {
      "@babel/helpers - typeof";
      return _typeof2 = typeof Symbol == "function" && typeof Symbol.iterator == "symbol" ? function(t) {
        return typeof t;
      } : function(t) {
        return t && typeof Symbol == "function" && t.constructor === Symbol && t !== Symbol.prototype ? "symbol" : typeof t;
      }, _typeof2(e);
    }
    function toPrimitive2(e, t) {
      if (_typeof2(e) != "object" || !e) return e;
      var s = e[Symbol.toPrimitive];
      if (s !== void 0) {
        var i = s.call(e, t || "default");
        if (_typeof2(i) != "object") return i;
        throw new TypeError("@@toPrimitive must return a primitive value.");
      }
      return (t === "string" ? String : Number)(e);
    }
    function toPropertyKey2(e) {
      var t = toPrimitive2(e, "string");
      return _typeof2(t) == "symbol" ? t : t + "";
    }
    function _defineProperty2(e, t, s) {
      return (t = toPropertyKey2(t)) in e ? Object.defineProperty(e, t, { value: s, enumerable: true, configurable: true, writable: true }) : e[t] = s, e;
    }
    function ownKeys2(e, t) {
      var s = Object.keys(e);
      if (Object.getOwnPropertySymbols) {
        var i = Object.getOwnPropertySymbols(e);
        t && (i = i.filter(function(r) {
          return Object.getOwnPropertyDescriptor(e, r).enumerable;
        })), s.push.apply(s, i);
      }
      return s;
    }
    function _objectSpread22(e) {
      for (var t = 1; t < arguments.length; t++) {
        var s = arguments[t] != null ? arguments[t] : {};
        t % 2 ? ownKeys2(Object(s), true).forEach(function(i) {
          _defineProperty2(e, i, s[i]);
        }) : Object.getOwnPropertyDescriptors ? Object.defineProperties(e, Object.getOwnPropertyDescriptors(s)) : ownKeys2(Object(s)).forEach(function(i) {
          Object.defineProperty(e, i, Object.getOwnPropertyDescriptor(s, i));
        });
      }
      return e;
    }
    var REBuilder = class {
      constructor(e = {}) {
        _defineProperty2(this, "src_Any", uc_micro2.Any.source), _defineProperty2(this, "src_Cc", uc_micro2.Cc.source), _defineProperty2(this, "src_Z", uc_micro2.Z.source), _defineProperty2(this, "src_P", uc_micro2.P.source), _defineProperty2(this, "src_ZPCc", [this.src_Z, this.src_P, this.src_Cc].join("|")), _defineProperty2(this, "src_ZCc", [this.src_Z, this.src_Cc].join("|")), _defineProperty2(this, "cache", {}), _defineProperty2(this, "opts", { maxLength: 1e4, urlAuth: false, schema_names: [] }), this.opts = _objectSpread22(_objectSpread22({}, this.opts), e);
      }
      set(e = {}) {
        return this.opts = _objectSpread22(_objectSpread22({}, this.opts), e), this.cache = {}, this;
      }
      escapeRE(e) {
        return e.replace(/[.?*+^$[\]\\(){}|-]/g, "\\$&");
      }
      nestedPairRE(e, t, s = 4) {
        const i = this.escapeRE(e), r = this.escapeRE(t), n = `(?:(?!${this.src_ZCc}|${i}|${r}).)`;
        let a = `${i}${n}{0,1000}${r}`;
        for (let h = 2; h <= s; h++) a = `${i}(?:${n}|${a}){0,1000}${r}`;
        return a;
      }
      get_text_separators() {
        var e, t;
        return (t = (e = this.cache).text_separators) !== null && t !== void 0 ? t : e.text_separators = /[><\uff5c]/;
      }
      get_pseudo_letter() {
        var e, t;
        return (t = (e = this.cache).src_pseudo_letter) !== null && t !== void 0 ? t : e.src_pseudo_letter = new RegExp(`(?:(?!${this.get_text_separators().source}|${this.src_ZPCc})${this.src_Any})`);
      }
      get_ipv4_addr() {
        var e, t;
        return (t = (e = this.cache).src_ip4) !== null && t !== void 0 ? t : e.src_ip4 = new RegExp("(?:(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9][0-9]|[0-9])[.]){3}(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9][0-9]|[0-9])");
      }
      get_ipv6_addr() {
        var e, t;
        const s = "[0-9A-Fa-f]{1,4}", i = `(?:(?:${s}:${s})|${this.get_ipv4_addr().source})`;
        return (t = (e = this.cache).src_ip6_addr) !== null && t !== void 0 ? t : e.src_ip6_addr = new RegExp(`(?:(?:${s}:){6}${i}|::(?:${s}:){5}${i}|(?:${s})?::(?:${s}:){4}${i}|(?:(?:${s}:){0,1}${s})?::(?:${s}:){3}${i}|(?:(?:${s}:){0,2}${s})?::(?:${s}:){2}${i}|(?:(?:${s}:){0,3}${s})?::${s}:${i}|(?:(?:${s}:){0,4}${s})?::${i}|(?:(?:${s}:){0,5}${s})?::${s}|(?:(?:${s}:){0,6}${s})?::)`);
      }
      get_ipv6_url_host() {
        var e, t;
        return (t = (e = this.cache).src_ip6_host) !== null && t !== void 0 ? t : e.src_ip6_host = new RegExp(`\\[${this.get_ipv6_addr().source}\\]`);
      }
      get_ipv6_mail_host() {
        var e, t;
        return (t = (e = this.cache).src_ipv6_mail_host) !== null && t !== void 0 ? t : e.src_ipv6_mail_host = new RegExp(`\\[IPv6:${this.get_ipv6_addr().source}\\]`);
      }
      get_auth() {
        var e, t;
        return (t = (e = this.cache).src_auth) !== null && t !== void 0 ? t : e.src_auth = new RegExp(`(?:(?:(?!${this.src_ZCc}|[@/\\[\\]()]).){1,50}@)?`);
      }
      get_port() {
        var e, t;
        return (t = (e = this.cache).src_port) !== null && t !== void 0 ? t : e.src_port = new RegExp("(?::(?:6(?:[0-4]\\d{3}|5(?:[0-4]\\d{2}|5(?:[0-2]\\d|3[0-5])))|[1-5]?\\d{1,4}))?");
      }
      get_host_terminator() {
        var e, t;
        return (t = (e = this.cache).src_host_terminator) !== null && t !== void 0 ? t : e.src_host_terminator = new RegExp(`(?=$|${this.get_text_separators().source}|${this.src_ZPCc})(?!${this.opts["---"] ? "-(?!--)|" : "-|"}_|:\\d|\\.-|\\.(?!$|${this.src_ZPCc}))`);
      }
      get_path_terminator() {
        var e, t;
        return (t = (e = this.cache).src_path_terminator) !== null && t !== void 0 ? t : e.src_path_terminator = new RegExp(`${this.src_ZPCc}|${this.get_text_separators().source}`);
      }
      get_path() {
        var e, t;
        return (t = (e = this.cache).src_path) !== null && t !== void 0 ? t : e.src_path = new RegExp(`(?:[/?#](?:${this.nestedPairRE("[", "]")}|${this.nestedPairRE("(", ")")}|${this.nestedPairRE("{", "}")}|\\"(?:(?!${this.src_ZCc}|["]).){1,100}\\"|\\'(?:(?!${this.src_ZCc}|[']).){1,100}\\'|\\'(?=${this.get_pseudo_letter().source}|[-])|\\.{2,20}[:]?[a-zA-Z0-9%/&]|\\.(?!${this.src_ZCc}|[.]|$)|` + (this.opts["---"] ? "\\-(?!--(?:[^-]|$))(?:-{0,19})|" : "\\-{1,20}|") + `,(?!${this.src_ZCc}|$)|;(?!${this.src_ZCc}|$)|\\!{1,20}(?!${this.src_ZCc}|[!]|$)|\\?(?!${this.src_ZCc}|[?]|$)|` + this.get_path_extra().source + `[\\\\/:%@#&=_~*]|(?!${this.get_path_terminator().source}).){1,${this.opts.maxLength}}|\\/)?`);
      }
      get_mail_name() {
        var e, t;
        return (t = (e = this.cache).src_mail_name) !== null && t !== void 0 ? t : e.src_mail_name = new RegExp("[-!#$%&'*+/=?^_`{|}~a-zA-Z0-9](?:[-!#$%&'*+/=?^_`{|}~a-zA-Z0-9]|[.](?=[-!#$%&'*+/=?^_`{|}~a-zA-Z0-9])){0,63}");
      }
      get_xn() {
        var e, t;
        return (t = (e = this.cache).src_xn) !== null && t !== void 0 ? t : e.src_xn = new RegExp("xn--[a-z0-9\\-]{1,59}");
      }
      get_tld() {
        if (this.cache.tld) return this.cache.tld;
        const e = [...new Set(this.opts.tlds || [])].sort().reverse().join("|");
        return this.cache.tld = new RegExp(`${e || "$#none#$"}|${this.get_xn().source}`), this.cache.tld;
      }
      get_domain_root() {
        var e, t;
        return (t = (e = this.cache).src_domain_root) !== null && t !== void 0 ? t : e.src_domain_root = new RegExp("(?:" + this.get_xn().source + `|${this.get_pseudo_letter().source}{1,63})`);
      }
      get_domain() {
        var e, t;
        return (t = (e = this.cache).src_domain) !== null && t !== void 0 ? t : e.src_domain = new RegExp("(?:" + this.get_xn().source + `|(?:${this.get_pseudo_letter().source})|(?:${this.get_pseudo_letter().source}(?:-|${this.get_pseudo_letter().source}){0,61}${this.get_pseudo_letter().source}))`);
      }
      get_url_host_port() {
        var e, t;
        return (t = (e = this.cache).url_host_port) !== null && t !== void 0 ? t : e.url_host_port = new RegExp("(?:" + this.get_ipv6_url_host().source + `|(?:(?:(?:${this.get_domain().source})\\.){0,10}${this.get_domain().source}))` + this.get_port().source + this.get_host_terminator().source);
      }
      get_fuzzy_url_host_port() {
        var e, t;
        return (t = (e = this.cache).fuzzy_url_host_port) !== null && t !== void 0 ? t : e.fuzzy_url_host_port = new RegExp("(?:" + (this.opts.fuzzyIP ? this.get_ipv4_addr().source + "|" : "") + `(?:(?:(?:${this.get_domain().source})\\.){1,10}(?:${this.get_tld().source})))` + this.get_host_terminator().source);
      }
      get_mail_host() {
        var e, t;
        return (t = (e = this.cache).src_mail_host) !== null && t !== void 0 ? t : e.src_mail_host = new RegExp("(?:" + this.get_ipv6_mail_host().source + `|(?:(?:(?:${this.get_domain().source})\\.){0,4}${this.get_domain().source}))` + this.get_host_terminator().source);
      }
      get_fuzzy_mail_host() {
        var e, t;
        return (t = (e = this.cache).src_fuzzy_mail_host) !== null && t !== void 0 ? t : e.src_fuzzy_mail_host = new RegExp("(?:" + this.get_ipv6_mail_host().source + `|(?:(?:(?:${this.get_domain().source})[.]){1,4}${this.get_domain_root().source}))` + this.get_host_terminator().source);
      }
      get_path_extra() {
        var e, t;
        return (t = (e = this.cache).src_path_extra) !== null && t !== void 0 ? t : e.src_path_extra = new RegExp("");
      }
      get_fuzzy_mail_host_search() {
        var e, t;
        return (t = (e = this.cache).mail_fuzzy_host_search) !== null && t !== void 0 ? t : e.mail_fuzzy_host_search = new RegExp(`@${this.get_fuzzy_mail_host().source}`, "ig");
      }
      get_fuzzy_link_search() {
        var e, t;
        return (t = (e = this.cache).link_fuzzy_search) !== null && t !== void 0 ? t : e.link_fuzzy_search = new RegExp(`(^|(?![.:/\\-_@])(?:[$+<=>^\`|\uFF5C]|${this.src_ZPCc}))(?:(?![$+<=>^\`|\uFF5C])${this.get_fuzzy_url_host_port().source}${this.get_path().source})`, "ig");
      }
      get_http_validator() {
        var e, t;
        return (t = (e = this.cache).http_validator) !== null && t !== void 0 ? t : e.http_validator = new RegExp("\\/\\/" + (this.opts.urlAuth ? this.get_auth().source : "") + this.get_url_host_port().source + this.get_path().source, "iy");
      }
      get_relative_proto_validator() {
        var e, t;
        return (t = (e = this.cache).relative_proto_validator) !== null && t !== void 0 ? t : e.relative_proto_validator = new RegExp((this.opts.urlAuth ? this.get_auth().source : "") + `(?:localhost|${this.get_ipv6_url_host().source}|(?:(?:${this.get_domain().source})[.]){1,10}${this.get_domain_root().source})` + this.get_port().source + this.get_host_terminator().source + this.get_path().source, "iy");
      }
      get_mail_name_validator() {
        var e, t;
        return (t = (e = this.cache).mail_name_validator) !== null && t !== void 0 ? t : e.mail_name_validator = new RegExp(`(?:^|${this.get_text_separators().source}|"|\\(|${this.src_ZCc})(${this.get_mail_name().source})$`);
      }
      get_mailto_validator() {
        var e, t;
        return (t = (e = this.cache).mailto_validator) !== null && t !== void 0 ? t : e.mailto_validator = new RegExp(`${this.get_mail_name().source}@${this.get_mail_host().source}`, "iy");
      }
      get_schema_names() {
        var e, t;
        return (t = (e = this.cache).schema_names) !== null && t !== void 0 ? t : e.schema_names = new RegExp((this.opts.schema_names || []).map((s) => this.escapeRE(s)).join("|"));
      }
      get_schema_search() {
        var e, t;
        return (t = (e = this.cache).schema_search) !== null && t !== void 0 ? t : e.schema_search = new RegExp(`(^|(?!_)(?:[><\uFF5C]|${this.src_ZPCc}))(${this.get_schema_names().source})`, "ig");
      }
      get_schema_at_start() {
        var e, t;
        return (t = (e = this.cache).schema_at_start) !== null && t !== void 0 ? t : e.schema_at_start = new RegExp(`^${this.get_schema_search().source}`, "i");
      }
    };
    function _objectWithoutPropertiesLoose(e, t) {
      if (e == null) return {};
      var s = {};
      for (var i in e) if ({}.hasOwnProperty.call(e, i)) {
        if (t.includes(i)) continue;
        s[i] = e[i];
      }
      return s;
    }
    function _objectWithoutProperties(e, t) {
      if (e == null) return {};
      var s, i, r = _objectWithoutPropertiesLoose(e, t);
      if (Object.getOwnPropertySymbols) {
        var n = Object.getOwnPropertySymbols(e);
        for (i = 0; i < n.length; i++) s = n[i], t.includes(s) || {}.propertyIsEnumerable.call(e, s) && (r[s] = e[s]);
      }
      return r;
    }
    var _excluded = ["rebuilder"];
    var web_schema = { validate: (e, t, s) => {
      const i = s.re.get_http_validator();
      i.lastIndex = t;
      const r = i.exec(e);
      return r ? r[0].length : 0;
    }, normalize: (e, t) => t.normalize(e) };
    var defaultSchemas = { "http:": web_schema, "https:": web_schema, "ftp:": web_schema, "//": { validate: function(e, t, s) {
      const i = s.re.get_relative_proto_validator();
      i.lastIndex = t;
      const r = i.exec(e);
      return r ? t >= 3 && e[t - 3] === ":" || t >= 3 && e[t - 3] === "/" ? 0 : r[0].length : 0;
    }, normalize: (e, t) => t.normalize(e) }, "mailto:": { validate: function(e, t, s) {
      const i = s.re.get_mailto_validator();
      i.lastIndex = t;
      const r = i.exec(e);
      return r ? r[0].length : 0;
    }, normalize: (e, t) => t.normalize(e) } };
    var tlds_2ch = "a:cdefgilmnoqrstuwxz|b:abdefghijmnorstvwyz|c:acdfghiklmnoruvwxyz|d:ejkmoz|e:cegrstu|f:ijkmor|g:abdefghilmnpqrstuwy|h:kmnrtu|i:delmnoqrst|j:emop|k:eghimnprwyz|l:abcikrstuvy|m:acdeghklmnopqrstuvwxyz|n:acefgilopruz|o:m|p:aefghklmnrstwy|q:a|r:eosuw|s:abcdeghijklmnortuvxyz|t:cdfghjklmnortvwz|u:agksyz|v:aceginu|w:fs|y:et|z:amw";
    var tlds_default = "biz|com|edu|gov|net|org|pro|web|xxx|aero|asia|coop|info|museum|name|shop|\u0440\u0444";
    function unpackTlds() {
      const e = tlds_default.split("|");
      return tlds_2ch.split("|").forEach((t) => {
        const s = t.indexOf(":"), i = t.slice(0, s);
        for (const r of t.slice(s + 1)) e.push(i + r);
      }), e;
    }
    var defaultOptions = { fuzzyLink: false, fuzzyEmail: true, fuzzyIP: false, "---": false, tlds: unpackTlds(), urlAuth: false, maxLength: 1e4 };
    var Match = class {
      constructor(e, t, s, i) {
        _defineProperty2(this, "schema", void 0), _defineProperty2(this, "index", void 0), _defineProperty2(this, "lastIndex", void 0), _defineProperty2(this, "raw", void 0), _defineProperty2(this, "text", void 0), _defineProperty2(this, "url", void 0);
        const r = e.slice(s, i);
        this.schema = t.toLowerCase(), this.index = s, this.lastIndex = i, this.raw = r, this.text = r, this.url = r;
      }
    };
    var LinkifyIt = class {
      constructor(e = {}) {
        _defineProperty2(this, "__opts__", void 0), _defineProperty2(this, "__schemas__", void 0), _defineProperty2(this, "re", void 0);
        const { rebuilder: t } = e, s = _objectWithoutProperties(e, _excluded);
        this.__opts__ = _objectSpread22(_objectSpread22({}, defaultOptions), s), this.__schemas__ = _objectSpread22({}, defaultSchemas), this.re = t || new REBuilder(), this.re.set(_objectSpread22(_objectSpread22({}, this.__opts__), {}, { schema_names: Object.keys(this.__schemas__) }));
      }
      add(e, t = null) {
        if (!t) delete this.__schemas__[e];
        else {
          const s = _objectSpread22({ normalize: (i, r) => r.normalize(i) }, t);
          this.__schemas__[e] = s;
        }
        return this.re.set(_objectSpread22(_objectSpread22({}, this.__opts__), {}, { schema_names: Object.keys(this.__schemas__) })), this;
      }
      set(e = {}) {
        return this.__opts__ = _objectSpread22(_objectSpread22({}, this.__opts__), e), this.re.set(_objectSpread22(_objectSpread22({}, this.__opts__), {}, { schema_names: Object.keys(this.__schemas__) })), this;
      }
      test(e) {
        if (!e.length) return false;
        let t, s;
        for (s = this.re.get_schema_search(), s.lastIndex = 0; (t = s.exec(e)) !== null; ) if (this.testSchemaAt(e, t[2], s.lastIndex)) return true;
        if (this.__opts__.fuzzyLink && this.__schemas__["http:"] && (s = this.re.get_fuzzy_link_search(), s.lastIndex = 0, s.exec(e) !== null)) return true;
        if (this.__opts__.fuzzyEmail && this.__schemas__["mailto:"] && e.indexOf("@") >= 0) {
          const i = this.re.get_fuzzy_mail_host_search(), r = this.re.get_mail_name_validator();
          for (i.lastIndex = 0; (t = i.exec(e)) !== null; ) {
            const n = e.slice(Math.max(0, t.index - 65), t.index);
            if (r.test(n)) return true;
          }
        }
        return false;
      }
      testSchemaAt(e, t, s) {
        return this.__schemas__[t.toLowerCase()] ? this.__schemas__[t.toLowerCase()].validate(e.slice(0, s + this.__opts__.maxLength), s, this) : 0;
      }
      match(e) {
        const t = [], s = this.re.get_schema_search();
        let i, r, n, a, h, l, f = false, g = false, v = false, u = 0;
        if (!e.length) return null;
        for (s.lastIndex = 0, this.__opts__.fuzzyLink && this.__schemas__["http:"] && (i = this.re.get_fuzzy_link_search(), i.lastIndex = 0), this.__opts__.fuzzyEmail && this.__schemas__["mailto:"] && (r = this.re.get_fuzzy_mail_host_search(), r.lastIndex = 0, n = this.re.get_mail_name_validator()); ; ) {
          const o = Math.max(u - 1, 0);
          if (r && n && !v && (!h || h.index < u)) for (r.lastIndex < o && (r.lastIndex = o); ; ) {
            const c = r.exec(e);
            if (!c) {
              v = true, h = void 0;
              break;
            }
            const $ = n.exec(e.slice(Math.max(0, c.index - 65), c.index));
            if ($) {
              if (h = { schema: "mailto:", index: c.index - $[1].length, lastIndex: c.index + c[0].length }, h.index >= u) break;
              r.lastIndex < o && (r.lastIndex = o);
            }
          }
          if (i && !g && (!a || a.index < u)) for (i.lastIndex < o && (i.lastIndex = o); ; ) {
            const c = i.exec(e);
            if (!c) {
              g = true, a = void 0;
              break;
            }
            if (a = { schema: "", index: c.index + c[1].length, lastIndex: c.index + c[0].length }, a.index >= u) break;
            i.lastIndex < o && (i.lastIndex = o);
          }
          let d = h;
          (!d || a && (a.index < d.index || a.index === d.index && a.lastIndex > d.lastIndex)) && (d = a);
          let x;
          if (!f) for (; ; ) {
            if (!l) {
              s.lastIndex < o && (s.lastIndex = o);
              const m = s.exec(e);
              if (!m) {
                f = true;
                break;
              }
              l = { schema: m[2], index: m.index + m[1].length, lastIndex: m.index + m[0].length };
            }
            if (l.index < u) {
              l = void 0;
              continue;
            }
            if (d && l.index > d.index) break;
            const c = l;
            l = void 0;
            const $ = this.testSchemaAt(e, c.schema, c.lastIndex);
            if ($) {
              x = { schema: c.schema, index: c.index, lastIndex: c.lastIndex + $ };
              break;
            }
          }
          let _ = x;
          if ((!_ || h && (h.index < _.index || h.index === _.index && h.lastIndex > _.lastIndex)) && (_ = h), (!_ || a && (a.index < _.index || a.index === _.index && a.lastIndex > _.lastIndex)) && (_ = a), !_) break;
          _ === h ? h = void 0 : _ === a && (a = void 0);
          const p = new Match(e, _.schema, _.index, _.lastIndex);
          p.schema ? this.__schemas__[p.schema].normalize(p, this) : this.normalize(p), t.push(p), u = _.lastIndex;
        }
        return t.length ? t : null;
      }
      matchAtStart(e) {
        if (!e.length) return null;
        const t = this.re.get_schema_at_start().exec(e);
        if (!t) return null;
        const s = this.testSchemaAt(e, t[2], t[0].length);
        if (!s) return null;
        const i = new Match(e, t[2], t.index + t[1].length, t.index + t[0].length + s);
        return this.__schemas__[i.schema].normalize(i, this), i;
      }
      tlds(e, t = false) {
        return e = Array.isArray(e) ? e : [e], t ? this.__opts__.tlds = this.__opts__.tlds.concat(e) : this.__opts__.tlds = e, this.re.set(_objectSpread22(_objectSpread22({}, this.__opts__), {}, { schema_names: Object.keys(this.__schemas__) })), this;
      }
      normalize(e) {
        e.schema || (e.url = `http://${e.url}`), e.schema === "mailto:" && !/^mailto:/i.test(e.url) && (e.url = `mailto:${e.url}`);
      }
    };
    function linkifyit(e = {}) {
      return new LinkifyIt(e);
    }
    exports2.LinkifyIt = LinkifyIt, exports2.REBuilder = REBuilder, exports2.linkifyit = linkifyit;
  }
});

// node_modules/punycode.js/punycode.js
var require_punycode = __commonJS({
  "node_modules/punycode.js/punycode.js"(exports2, module2) {
    "use strict";
    var regexPunycode = /^xn--/;
    var regexNonASCII = /[^\0-\x7F]/;
    var regexSeparators = /[\x2E\u3002\uFF0E\uFF61]/g;
    var errors = { overflow: "Overflow: input needs wider integers to process", "not-basic": "Illegal input >= 0x80 (not a basic code point)", "invalid-input": "Invalid input" };
    var baseMinusTMin = 35;
    var floor = Math.floor;
    var stringFromCharCode = String.fromCharCode;
    function error(t) {
      throw new RangeError(errors[t]);
    }
    function map(t, n) {
      const o = [];
      let e = t.length;
      for (; e--; ) o[e] = n(t[e]);
      return o;
    }
    function mapDomain(t, n) {
      const o = t.split("@");
      let e = "";
      o.length > 1 && (e = o[0] + "@", t = o[1]), t = t.replace(regexSeparators, ".");
      const s = t.split("."), i = map(s, n).join(".");
      return e + i;
    }
    function ucs2decode(t) {
      const n = [];
      let o = 0;
      const e = t.length;
      for (; o < e; ) {
        const s = t.charCodeAt(o++);
        if (s >= 55296 && s <= 56319 && o < e) {
          const i = t.charCodeAt(o++);
          (i & 64512) == 56320 ? n.push(((s & 1023) << 10) + (i & 1023) + 65536) : (n.push(s), o--);
        } else n.push(s);
      }
      return n;
    }
    var ucs2encode = (t) => String.fromCodePoint(...t);
    var basicToDigit = function(t) {
      return t >= 48 && t < 58 ? 26 + (t - 48) : t >= 65 && t < 91 ? t - 65 : t >= 97 && t < 123 ? t - 97 : 36;
    };
    var digitToBasic = function(t, n) {
      return t + 22 + 75 * (t < 26) - ((n != 0) << 5);
    };
    var adapt = function(t, n, o) {
      let e = 0;
      for (t = o ? floor(t / 700) : t >> 1, t += floor(t / n); t > baseMinusTMin * 26 >> 1; e += 36) t = floor(t / baseMinusTMin);
      return floor(e + (baseMinusTMin + 1) * t / (t + 38));
    };
    var decode = function(t) {
      const n = [], o = t.length;
      let e = 0, s = 128, i = 72, u = t.lastIndexOf("-");
      u < 0 && (u = 0);
      for (let c = 0; c < u; ++c) t.charCodeAt(c) >= 128 && error("not-basic"), n.push(t.charCodeAt(c));
      for (let c = u > 0 ? u + 1 : 0; c < o; ) {
        const r = e;
        for (let a = 1, l = 36; ; l += 36) {
          c >= o && error("invalid-input");
          const f = basicToDigit(t.charCodeAt(c++));
          f >= 36 && error("invalid-input"), f > floor((2147483647 - e) / a) && error("overflow"), e += f * a;
          const h = l <= i ? 1 : l >= i + 26 ? 26 : l - i;
          if (f < h) break;
          const d = 36 - h;
          a > floor(2147483647 / d) && error("overflow"), a *= d;
        }
        const x = n.length + 1;
        i = adapt(e - r, x, r == 0), floor(e / x) > 2147483647 - s && error("overflow"), s += floor(e / x), e %= x, n.splice(e++, 0, s);
      }
      return String.fromCodePoint(...n);
    };
    var encode = function(t) {
      const n = [];
      t = ucs2decode(t);
      const o = t.length;
      let e = 128, s = 0, i = 72;
      for (const r of t) r < 128 && n.push(stringFromCharCode(r));
      const u = n.length;
      let c = u;
      for (u && n.push("-"); c < o; ) {
        let r = 2147483647;
        for (const a of t) a >= e && a < r && (r = a);
        const x = c + 1;
        r - e > floor((2147483647 - s) / x) && error("overflow"), s += (r - e) * x, e = r;
        for (const a of t) if (a < e && ++s > 2147483647 && error("overflow"), a === e) {
          let l = s;
          for (let f = 36; ; f += 36) {
            const h = f <= i ? 1 : f >= i + 26 ? 26 : f - i;
            if (l < h) break;
            const d = l - h, b = 36 - h;
            n.push(stringFromCharCode(digitToBasic(h + d % b, 0))), l = floor(d / b);
          }
          n.push(stringFromCharCode(digitToBasic(l, 0))), i = adapt(s, x, c === u), s = 0, ++c;
        }
        ++s, ++e;
      }
      return n.join("");
    };
    var toUnicode = function(t) {
      return mapDomain(t, function(n) {
        return regexPunycode.test(n) ? decode(n.slice(4).toLowerCase()) : n;
      });
    };
    var toASCII = function(t) {
      return mapDomain(t, function(n) {
        return regexNonASCII.test(n) ? "xn--" + encode(n) : n;
      });
    };
    var punycode = { version: "2.3.1", ucs2: { decode: ucs2decode, encode: ucs2encode }, decode, encode, toASCII, toUnicode };
    module2.exports = punycode;
  }
});

// node_modules/markdown-it/dist/markdown-it.cjs.js
var __create = Object.create;
var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames2 = Object.getOwnPropertyNames;
var __getProtoOf = Object.getPrototypeOf;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __exportAll = (e, n) => {
  let r = {};
  for (var t in e) __defProp(r, t, { get: e[t], enumerable: true });
  return n || __defProp(r, Symbol.toStringTag, { value: "Module" }), r;
};
var __copyProps = (e, n, r, t) => {
  if (n && typeof n == "object" || typeof n == "function") for (var i = __getOwnPropNames2(n), o = 0, s = i.length, l; o < s; o++) l = i[o], !__hasOwnProp.call(e, l) && l !== r && __defProp(e, l, { get: ((c) => n[c]).bind(null, l), enumerable: !(t = __getOwnPropDesc(n, l)) || t.enumerable });
  return e;
};
var __toESM = (e, n, r) => (r = e != null ? __create(__getProtoOf(e)) : {}, __copyProps(n || !e || !e.__esModule || !__hasOwnProp.call(e, "default") ? __defProp(r, "default", { value: e, enumerable: true }) : r, e));
var mdurl = require_index_cjs();
mdurl = __toESM(mdurl, 1);
var uc_micro = require_index_cjs2();
uc_micro = __toESM(uc_micro, 1);
var linkify_it = require_index_cjs3();
var punycode_js = require_punycode();
punycode_js = __toESM(punycode_js, 1);
var c1 = [8364, 0, 8218, 402, 8222, 8230, 8224, 8225, 710, 8240, 352, 8249, 338, 0, 381, 0, 0, 8216, 8217, 8220, 8221, 8226, 8211, 8212, 732, 8482, 353, 8250, 339, 0, 382, 376];
function isInvalidCodePoint(e) {
  return e === 0 || e >= 55296 && e <= 57343 || e > 1114111;
}
function replaceCodePoint(e) {
  return isInvalidCodePoint(e) ? 65533 : e >= 128 && e <= 159 && c1[e - 128] || e;
}
function codePointToString(e) {
  return e - 1 >>> 0 < 127 || e - 160 >>> 0 < 55136 ? String.fromCharCode(e) : String.fromCodePoint(replaceCodePoint(e));
}
var BASE91_INVERSE = (() => {
  const e = new Uint8Array(127);
  let n = 0;
  for (let r = 33; r <= 126; r++) r !== 34 && r !== 36 && r !== 92 && (e[r] = n++);
  return e;
})();
function decodeTrieDict(e, n, r, t, i, o) {
  const l = e.length, c = o * 90;
  let a = 0;
  const h = () => {
    const A = BASE91_INVERSE[e.charCodeAt(a++)];
    return A < o ? A : A * 91 - c + BASE91_INVERSE[e.charCodeAt(a++)];
  }, f = r - t, d = r + i, p = new Int32Array(d);
  p.fill(-1, t, o), p.fill(-1, o + f, d);
  const u = new Int32Array(d), w = new Int32Array(d);
  function m(A, E) {
    let C = 0, T = E;
    const J = E + A;
    for (; T < J; ) {
      const S = BASE91_INVERSE[e.charCodeAt(a++)];
      if (S < 89) C += S, p[T++] = C;
      else if (S === 89) {
        let j = BASE91_INVERSE[e.charCodeAt(a++)] + 2;
        for (; j--; ) p[T++] = ++C;
      } else {
        const j = BASE91_INVERSE[e.charCodeAt(a++)];
        C += 89 + (j < 90 ? j * 91 + BASE91_INVERSE[e.charCodeAt(a++)] : BASE91_INVERSE[e.charCodeAt(a++)] * 8281 + BASE91_INVERSE[e.charCodeAt(a++)] * 91 + BASE91_INVERSE[e.charCodeAt(a++)]), p[T++] = C;
      }
    }
  }
  m(t, 0), m(f, o);
  const v = new Int32Array(i * 2);
  let x = 0, b = 0;
  function k(A, E) {
    for (let C = 0; C < A; C++) {
      const T = E + C, J = h(), S = h();
      v[b * 2] = J, v[b * 2 + 1] = S, b += 1, u[T] = x;
      const j = (p[J] < 0 ? w[J] : 1) + (p[S] < 0 ? w[S] : 1);
      w[T] = j, x += j;
    }
  }
  k(i - o + t, o + f), k(o - t, t);
  const R = new Uint16Array(x);
  let g = 0;
  for (let A = 0; A < b; A++) for (let E = 0; E < 2; E++) {
    const C = v[A * 2 + E], T = p[C];
    if (T < 0) {
      let J = u[C];
      const S = J + w[C];
      for (; J < S; ) R[g++] = R[J++];
    } else R[g++] = T;
  }
  const _ = new Uint16Array(n);
  let y = 0;
  for (; a < l; ) {
    let A = BASE91_INVERSE[e.charCodeAt(a++)];
    A >= o && (A = A * 91 - c + BASE91_INVERSE[e.charCodeAt(a++)]);
    const E = p[A];
    if (E < 0) {
      let C = u[A];
      const T = C + w[A];
      for (; C < T; ) _[y++] = R[C++];
    } else _[y++] = E;
  }
  return _;
}
var htmlDecodeTree = decodeTrieDict("!}.&u%}'&}*'~!6*)%&,~!J~!J~%L~y<~!R,~~%Lu~~#GD~~#|)1#%}^%}2%+#.##%##%}&%##%'#%##&%#%#'%#&#%#&#'#%%#&#%##%#)%''%&%#%#'%#%%#%%}%%%#%#&(23#%%#&-%0%('1#(##%#'##+%'*.:1}#%#6-+(%'%%#%%%}#L'2351&('%}&/N'(0(/*-%(%%}#'+&T%7.2}#&%&#%#36/5##%&%%#&#%%#))2%%##%&&'0~!#*+&'%1~!%).'3q?&%'1~!.##%6(~!+%%%(Gw'rT~!E#<nA%#jZ~!H%(~!42##~!*31&~!G%U~#)5~#`3~!J~!Z~%]~%Y~%C~!q~!u~#kz~%#~!6'~!D~!U~!?~#T~!c%~!G#'~%7|~!G~!J~!G&~#pb~(Df}#%}*&}#%##%##%##&#-}&'#'&%#.++}%mI,#,@&(}*%}*'%&##&#%##%}&0}#.},U},%}+%}&%}#%##&}B%(}(%}+%)})%##%#&}&%##%&}<%}>%#%&}*%}(%}9%}/%})%}*%}*%}?&}&%}3%}&*#%})%#%#)}#&#-#+*%E%%'%'#%}#*V##&##I}#&&##%&%#&&Qf%%))w/0+&%#(#.%-''''++++7}>%4'',##1,#%#&%##&#'##&#*#9)%&%}#*}%,#+P(%A&%#'&##wSD',9E00#y#@}(+}&%&>~!#~!X}#*}(&&}(&}(,%}%&#+&}#&}I%#%}%)#(},'%#*}4%%#%}(''}#/##(##),%-##%%)#&}(.}&%#&}%%}*&#%},&&}&%}#%*'#%})%}D&}&%}-&}6&#&}-,%}#%})-(~+`~,=?~I9'9%~!,#%})%})%}@%}?%}(~!?~#<~#pP~#BG~#=1#%K+~#?#~%;)~#A~#mF1~#A'~'X%'~#lR~#N~'N~#r~#m#-~#i'?%#'%~#B%##%,%#~#_%#0%~#]732~,w~2+#:&#%&'0%&>%}#>##F+)#%&&#(+_}4&}-%}(&}@&}O7Fdf0@+/v4}&WU##&/0#&'('B#%}.%}'+#%}#%%&#&%#%##+#&#)#6#'#.},%}c%},%#%##%&#&%#&~#>'*-.%##%##%}#%%}%'~#)D1}#%*&~#_%%'(~#S2%'.}#~#=##*'*-%}&'%'##&&~'E%.#&~#M4}%%##&'%#~#O1##%&#'+~#<B%##%%'%+~#;#@%}#&%#&&%#(~#H1}'%'##&&~#?A}&'~#D#%32}'&&&&~#[}'(#%}'~#;C})&}%%#%~#=&%,3}%'(#%%~#^'#&&)#%'~#Y%-~#d-%'~#^%%&#&&&}#~#b~2t*&'~&(~&@~0%~e~3}%*''0})&}+~!9##-}#%-hD*)1fC#%/&/fB#40~!+#)*4~!+~!K'&:~!/*7~!.#~!H~!L':~%x&~!H#~!*~%1~!I#~!+A~#p'~!F~~#-#~,,(~.Z~!V~%;'B'mq-W~!N~%I%#&&#&}#%},%%}'%}+X#%}#&}(%}'%}<%}#%}%%'}'%}:~![)9@~%>~#UA%-%##&~!C%~!-.9:~!1~!-^2/:a~!y,D*J#-5)/4~%23,~#G~!L1~!0X3`~!2+~!!0-~&E~!W~!o,>Y&]~%cZx_&~#O*9#A#'#+I'%#)~!0B*-5A+-((F&*M#)(-7-5+'-3a5Vi~!Y~!?+[)%3),ERHm~!+:D,VG.+)?fB%%*(%)'(#&80%1'8`K8?`+'Z#&O&'H5#*9)A%%5&3))0%39+.*7#()&&*=4@**L)<'_&*+..;(#*+)./&0#3)%')-8(4ixD(&.}%,('aI:,)%,k2231T)I'#/-W7,/'Q#.'Y24+h')37</31&83##&0#),H(?'&?/1##%#&&#%''-%&&&#(&''&#.-'%#%%(,')*'&#&#'##%(%(#%('#&##%%%%('%#%#%%#%#&%##h>w+v<ayvyvcg.uuhKr}g/v|g>u9i[~>g5uI~=RvdwEg;v/g;uk!!TTSx]@RT!U!#!@VBRUU!'UTe-d0c`e&gSdicedFcrdTaqb.kYcAohdYd@a3e+d}dMdtd.aJ#bqcK`dle/e.e'dwdPdodddjbEb}ogd^ofdpduc6j?l%d{drdqc)d7bacOdQ%T#Y)X.sR[yH>6Vyv3[xwLu>vo'!*.[yBacahoj>6Rew3[xqdZa#!a&#^(X-[yG>6Vyu3[xvg3sEr|g.u/Ri9db0T#^(Xa)!-[y;>6Vylg4wKs{JwNZt3@3r=c4Z([xlg;wKt!cpq's@v7A'*a(a+!-a#[y<3Dt?3Dt'>6Vym3[xmg9rxsNJwLZt4~?r?db1T#`-!(Xa,!0[yS>6Vz%NuQs.g4wKtnJwNZtS@3r>c4Z([y%g;wKtrdga8!a(!#&T*Y-Xa#!a0<or[yc3Dtq>6Vz43[y3JwNZtf@3s!Ju}!%Dti:pm3c_%X#tjB5pkd6q!r]u?voC'*-a.a2!0a&a+[yI3DtI3Ds~3DtH>6Vyw3[xx;:s#~<5pKJwNZtE@3r~d`a)!a2T#a.(!+U.X1[yT3Dt`3Dtv>6Vz&3[y&g9rxwzcxstPu.<rAJwLZtT~?r@dZa%!a.&^*Za(/Reu[ya>6Vz23[y1g3sEr}wkg{NuQRg{ci(U#5@b`~,cg#U(2WnH5wugcRh7dX#T(Y,a'Ta!!a,[yZ<]mj>6Vz,3[y+Pv#5ReZKu+=,%!H}7ABwkaS?Rh:BcW(X#<]mrj:ubv/ARekdg%!(!a.*Ta(Y.X1!#sP>Rl*Dt6[y>>6Vyo3Wf*jOvuumvuRgRJuq*!:9<B@bX~3jVv&v@s@5Re[d/rQt{uAvo&a&a*)a2!,0Wf!3Dt0=Bs'>6Re}3[xy~<5s%JwJZt1~Gs)c;&!#2sJkNuXvzq7rxu,Re8dka4!a8(aEZ+a@Y.X1Xa)[yd=Bs(3DtP>6Vz53[y4cX#X&Re:avRe9~<5s&JwJZtQ~Gs*i^rzvdRg+Jv{%!2sbB@bX}kdga,!Za?&^*T1/!a'Dt+[y6>6Vyf3Wf%g/u;s4hGu6?Rh-JvZ,!c%#&RoX54Rivj7uyvf8RgTKvZB%*!2sGh<vu5Rgq<=C::9bb~#dZ#T&Ta6Y.X*Dt>[y93Wf)coZ(T,6VyifluvRgC@95@B@bX~/hFu34cC#T,k/unq8w8Q5RkUklwQuzunq8w8Q5Rk8d/rJu?v8w9)-&!a0a;a&aIWejg3sEr/h1s<DtDJvyZqY5aws3Jvy!&Wei~Hr1:au5@Bag>23E~5c:Z&bX};kKv?w&unuVu5Rjc;>bs)#~@:Rh.=ay<a]C;b`}Vd6s/t{uAvoaxa()!a,a7%-a#a2Dt,[yF2Wo[>6Vyt3[xuNuPRi&NuPwpi#RoWh?vf8Ri%Jv]!%Ri:KvxD!.'2WeAjZu`q9rxu,Re7woeAg-unLq(qA_/*2Wg_g3u5q^9:4E}/jTrxrzv=Wkkd~0UX#^^Xa-a1a5T&a=U1a'*aEa]!a*aPaA-adok[y54Rn>;:p3~Dp5g9rpsFNvZqjg3uJp4~<5p0Pw;5qlJwNZt*@3p1Pw:5p/Ou!5p2JvG'!6Vye=<qnJvh_[xhg3v,Rh3kOwOw-sDuev/Re^dha[a%!%!a+#Ta7)-5TaCaO!aka!a)sf[yb2>Rl!9ARiq5E}Qg=ucRkBE|oJrJ_@Wk~@Wk{JrJ_@Wk|@WkyJrJ_@Wk}@WkzJvO_[y2g-vMRmiKuYC!)&>Ri;>Ri<@3RkNc](X#@9Rk=g5vuRmhKvDB!+'=]meg3u4Rmgd)#Y'Vz3CARmfd`a+!%T'!+#Ta1Ta6TaM-sTDt9[yA9sYd'%Y#s[[xpj:ueunaXRgEjRq,v-vuqdd2'`#6Rev<32@5>:2<E}5xIo9a*X#Y(;5RePJvD_g>vyRgNj8w)v8<wggs:RgXiZt|vjx,hSq3ah!-(~@:Ro/Ou!5RhWj^v(pyw8unRhUdx-UY#^Ua.a3a70!)%UX1TaDa)'omRiRRhE[y:3Dsz=Br,>6Vyj3[xkg6ruwjcqsrPw;5r*Ku]D'Zt-@3r(~?r.i[vwv]dU1a--U#`a4(g/vsRhPOu!5RhLj:rmu9Wo!~@:wdh@g/vsRiTjXuvvNr}:RhBj^v(pyw8unRn]dz1UYa'a+^Y(!aETZalaRY.Ta?a4[yDJw1!#qLsW>6Vyrfzq-pLflpwRe|Js>%!Dt@3Dt&Jvy_[xs~HrnjMuwpsw'RecKu+D#'!t<~Grl~?rjg5u-x,gwp{ah!-(~@:Rg~Ou!5Rh'jXuvvNr}:Rh#cW#X/c;&!#2sLi[v7u7RgpJv)(!iLrxu,Re6j7v@s@5Se[e7d`aW!Za(a`T.a#!a3!&aDa-!9)Dt_=6s+3[x~~DR|h~DS6avhGun5RkZj3w)v-]mkKunB!&*]kb97R|i<ARk<c:Z(6Vy}Juh'!wziMRoS:F|vkLuauJv5vtvQRh1d='T+Y#VyO~DR|jcF#T'7R|g97R|kJv3'!ay<Rj,Jvh&!:ReXcsa6*a+#a#_aIRf9aLRf?c,Z&Rf5Rf7c.Z&Rf;Rf>cQ#%T'p-Rf8Rf=ct#%'(*!,p,Rf4p+Rf6Rf:Rf<d~'Ua%U*^UYa(!a,-!#a4YaTalaEX0a8a<Weo3Dt/3Dsx=Br93Wen~Dr;~<5p<JwNZt2@3p=Pw:5p;Ou!5r3c7&!#:p>3Ds}KvGB)_6Vyk2sM=<r7x'eovA(!hFu1ARf}cV#X&@r5j6rvwQa^Rf3c=Za'wkghJv__g;unRggA53B9=b^}%j6uduo5Jq;!(hIv%2Re`Ou4ARe_e%a#^^^Xa&!a*a2!&a6YaP!*ad!#a:aE/5Rn?[y@>6Vyp;:pE~DrY~<5pBJwNZt8@3pCh=rt3rWPw:5pAJup_[xoNuPpF9c!#'45pD5ARn)d8#X'X*3@rU72s]h>v<<sSjJpqvewOJq/(!hNw'5ReBk0s2u3w/w'5ReE5@Jq.!a+JQ!&WeU23d(#Y&RjG5]jBk!u7w&u0udARjEe#+^^^Ub#!a2/a`Z(agT1!a-a;|@TaG!aS[yV=Re~fow'RguNuPRe?bz#'>RoUWeL>:Cbb|?JwPZtVg6ruRmzJvD'!6Vz(g/vmRh~Jvy_[y(g9voRgyx*cy(#2>Ri2B9b]~9kIw9u7rluJu3Rg]dI#a%UY'@=p%CAx.gQZ&RhwwygtRm{x5g_Z'+ABqR9Woa=Bp&dV#^*Xa'!&@o{g4v]Rk;Jv{!%Rk[wkkiA5RkiwwfUB=x,fUuqC&*!>RfTg8v0RfV~ARfSd;rJsAuAv9wR'ae+/aO!a@aza/a#[yQ@Wg!2Wemg3sEr0JvB_g>uvReWg2v+Re=KupB_+[y!2AbY~-~Hr2AJwD!(h<~El>h<~El?Kun@+_:9b`}Kg-v/Ri3g;vtwyk_9]k_d=&T#*U.6qh@Ab`|K9:H|CJv[!&3Dtex'fDwC%!Rf[9WlMd[(^X,!a%Z06Vz!@WgBg=v~Rgvg,QRe@awd,#Y+jTv|Q~EfWj]uNr|~FRfXdy#Y&^Ua%!aO.!(a)Ua;=!a@aKap!a-,a!Ta]a[rSa]p?[y82sK=Bq~;:p:~<5p8Pw:5p7d'#Y'Wf(;RnRi[u4w&RgJJvG'!6Vyh=<r#ijuuv/sIKuYD'ZtG@3p9~Gr&d2#`(g<vtRgFj`u5w&rqpxRf2CJuY!+:wfnTOu!5Rg}jNs1ucv&RfwJvA!&3@q|BDcC#T,k/unq8w8Q5RkTklwQuzunq8w8Q5Rk9dga#!a'!a=#a0!:+Tb*b@aO.a4!aba8aFJv^}?!VyR~Dr<g;u%Rn.~<5p[x'e`wNZtR@3p]Pw:5pZhNvjBp.woe_g5u-r4JwF!%DtO3:ooc7&!#:p^3DtpLuGw(!+%)Dtk6Vz#2sd=<r8d'#Y([y#<x3gJt`w@!)%}MRiowzikRij=]ilxAf3,U(#B2Rf#g0v-Rm[ck{`U#]giKv3>)!&6Ri154s,KuGB_%@r68r:dJ|t`#X(9<E|u2@H|rx3gJu?w'!+'1Nu7Reg4=H~+9<wxgY95Rm]xLggZ-`(X}U2:Ri4h<uOawRmsJv__5@bb{jbV~3dka#a'a]!,#a+U=a>b6a3b%!/aKa/)!arwve^VyJ;:pR~DpTg3uJpS~<5pOPw;5qmPw:5pNOu!5pQJvG'!6Vyx=<qoJvA!{~Jup!%@qk7Rn/KvyD!}''[xz;>wkh'?Rh,x8gyt`w5D!&),(SgyccRgztJ@3pPB5p#d'(Y#<]mmifubw&RgoJvE&!82s^JvF&!8Rf,ADb]~;x=h'rNu]vK!,%'*0RnORh)4Rh*AqQg-vaRnNg;wHwkh'ba~4cE#Ta*x3gctyw@'!+%RnFRnD<4Rn@hFvK5RnCxWg[#`&a0Ua()`1Rm75Rg[c]%X#qi8Rg^NvdRj>BwzgZauwji7Rm6A4wgg]d1#&(*,.0a#Rm;Rm<Rm=Rm>Rm?Rm@RmARmBe%#^^^Xaea?aC/b+(,!a+a#!a/!>a&Ta<aKbD!2wphBRnk[yPw}hE|.=Br-3Dtm>6Vy~g6urRf.x,hPrNav!%'RnqRo%Ro#Nu;q[Pw;5r+JwNZtM@3r)d'#Y'Weh;xChL#`&RnmRnoKu}>%(!Rne~Bs-;2wjcussJv+'!aYSO}6@B<5?ba~8LrNvj!.%*ROwungw~ng~:9;Ri^>wtnig;wHRnixDh@|(UZ.x1h@|)!#:2<H|*xHn]#-UX'3Ro)z=iT}6ARns=Bwsn_wpnaRncw]aR(#UXa&Ua*a/=]iPd'#Y&Ro'WnXf{QRm2hNvj]nZd`'T~&1`{|`#9b]{}c:'!#Wl{>@=be}]?cl{{U#:5Abb}Jds#^YaF!a*b4a#a3aPa>&Tb!bH!*a_!Eau?/a&RjY<]gj>6Vz*;:pe~DrZg,QRj1JwNZtX@wihspcJvZ&!VyX9WmOJu|!|N2WmHJvh&!]ht~Bpbcn&T(!#RmQ<s7Nu;padH#X'`+WmJ@>RmKCARhnKup=!)&Wf+:RhqNuPpf9c!#'45pd5AwghpARn(Ls@w!%,)!RmP@Wfe<E|IJva!&WmNg8vsRmLd`*.`#Y'Xa!axRn*]hrA8Rhug5s@rXg8u!RmMd8#X'X*3@rV72smdI*#UY&RmICARho~GsgxVgd)Ta'U-Y&Xa!T#RnEWnA@Wffg1uDRi0hFvK5RnBxGnG&#`%owp)@wsf+bX}Ze-*1!a*^^^Ua|!#a.aq&Ya2!a>.a6!a:aO`aJDtL[y`@Wg#>6Vz12@wzoYRoZNuPRi!NuPRhzg=ucRi,@=b`{Yg=ucRi-ACJvB!&Sh[ebSh]ebi`wUuFRm4Jw2_[y0JvB!.<Ju(!&SoG}6Shd}6<Ju(!&SoH}6She}6Kur@._g5vHRieJvx!{L2G{Kx6gd'T#?Rh82Wi5cZ#X(g1w)Rm5dW-Y(Ta#!a)!#aYa=wnfE=su2>>bU{0j9udv:<svj8uQv-7RgHdE%#^'sq9sp=>Bb_{TJv`!&g/r|snj6v(us5d,#Y(56H}[978H}]Jw5!&g1rushJvB!+j;v{u5?zDhd}6}bj;v{u5?zDhe}6}ce*#`(^^^a[aea!=!a6a*aoXb1a.!aAbL!b>,b'aL!aV@Wf|2Wlg3[y/JwNZt^@3piPw:5pgJunZou3@rsJva&!Vy_g<v~Rm#JvG'!6Vz0=<r{Ju{%!:pj@WfsiXuJu3Rm:JvZ&!WfA~Bph@c4Z&Dtwax5rubx(#:awRk1@d,#Y&RfjRfid1#,Y(@Wfp2Wlrg5s@ryKu[@!,'=]ig9wlk?Rk>g5u-rqJvy'!@9RkQcH(T#=>Ri~@<wkj(Wj(KuZB*!&<7rw@9RkRcH(T#=>Ri}@<wkj)Wj)dg(Ta2Xa9X#`-!a*CARhg@@=I}d9x;c~#X%so=<sj>2@@=aybb}XjWv0Q~EfEj3vLv;<d,#Y(56H}`978H}_dgaPaFa'a/!#a3Y0a_a;a|!1(a7-[yE3[xt;:pJNvZrrg3uJrvJwNZt=@3pIh=rt3rxPw:5pGOu!5rpJvG'!6Vys=<rz@c4Z&Dt(ax5rtJvZ!&~BpH@wsfNg-vaRlNci*U#=<wei<F}a5@Jq.!a*JQ!%@qZ23d(#Y&RjH5]jCk!u7w&u0udARjFd/prq=tyvpaEa(a:.!a1aZ(@@=I}:9wpd%=<sX55w_h}@@=I{t=ay<aU@@=I}T=ay<2@@=I})?C9:9au@9Cb]}DP~=x-fAZ(2Wl1=ay<aU@@=I}>5@d##Y+jTv|vV~EfFj]uNpn~FRfGdgaK!Z2&!a8a-Tb({E!acTbM*!a(DtY[yYd'%Y#sl[y*hHvh>Re5x2c{Z}.j4uCvcawRiMd+#X+_x&d!},<5RkX;2Hzw@x,gavfB-!{CcF&T#Roe;RodwWbBg5urRgaKvHC*_6Vz+<4opieuew&Rmq@d]&Y)X,T#X0Rh}<BqP=4qS9:ReMg/ujReNJw0!/<Jui%!bd{kawwnemRelAxUa?a3#*.&UX(Ya+a/RhvRnQ<o}9Wmtd-#Y&RgSRmw9;Rmxay=Rmyg-vaRmuxEhSrNu,v-voC!%(aR.a(a7+1Ro1>Ro5CE{A9b]{@;5x#eO{:g;urRi+KrNA!%(Ro3>Ro79;Ri_Ku@>{;&!x%gX|{KunA_+g5QRj/g3u5Rj#g>uERj%wio/xRhS&!,!#^1U}wba{8>>@=be}qC@:D5ba{7Ku+A&!}x?ba}t>>@=be}se(aA^^^Uat!b0#{pa+awUazbGa#aLb9bgaWac'a5TbS=Br!d1#`%scp_Jvl!#rT>Re0JvX&!VyN=H{Fcm#U&:pY=ReaJv2&!]h0=]nUJvG'!6Vy|=<r%JrM_=]h2@Wlud'#)U'Wf'b]{i=]h/Jvh!&~BpWg=v]RnMx+ny#'Nu;pVwjnu=]nwxJnx,T#`&Reqwjnt=]nvieu9vrRjLLuYwP(#+!th@wih5pX~Gr'g5v/Rh4KunA'!-CARnP@wwiN:Rm_9x'cvw>!|l=<saKvAA!0&3@q}>w^e1bp#&Re2Re3BDx7gH#T|f5H|eKuZ>!%(:qNAH{]Jv6!+3B2B9=b^{X<5<B92:E{ZLvhwA(a;a%!igQuyRmad+#Y}m@3Rh5d8#X'X*:AqUAHzmaxwbh<aXRnVcF}RT#Nw&cj#U(BWnug/vsRntdka)(a3+.Zb7aYYan1!bVa@Xa}[y^@b[{G=H{+hFu73Rj&Pv#5ReQcK%T#sig1v{Rj'Ku+D#'!t]~Grm~?rkKuMB!01d5#`'Vy.ta3Dtu~Hroc8#'{^45s85AwZbP&!#Rn!wghxWn#KvEA!)&2RlA2RlBx:h|#(T,=]j09Wobz>x]z/@awRoTd+#Y(az]hFhCrm4d,#Y+jTv|Q~EfMj]uNr|~FRfOdCa!Xa9_X#@<plJvf!%b`{(9;Rgwc;.!#2x7cw#T|UDb]|T5Ju={(!=@E{&Jv)&!Ab`{'awJvf!~*>>@=be{#KuY>!+&4Ezyi[ugv&RjIdea+T)#UXa&T-T&a!Rh9auRmW=]kLg5vuRn+g3u4Rn-Ow6ARn,hHus5xNk?#UX(U~)/g8v0RkD~AwkkF?Ri.OuNBwkkA?Ri/d|a2`a*^UYa.!aBTZaTa'Xa;!(!2!-a#b2[yC>6Vyq3[xr2Wi?g1rusVh%s?DtF~<5rbJs;%!DtBfswKtCj[uvuSsEu3RgVx3o:u+wN'*Zt;@3rd~Grh~?rfg8w)Lq)qE&-a%!>bI|`jWv0vV~EfCjTv|vV~Ef@j]uNpn~FRfBcK#T']gWNu7x,k7q4ai(0!hHv8<RhmkMu9vrsBuev/RhlCJvB!,g<v{wchh~@:Rhji[vrv{wchi~@:RhkdS&a5UY#Ta!RgPwwiI5BwciI~@:Rh`x'iJvj'!5]iJPu8Bwch]~@:Rhach)U#h3rp]gLh@t|Ax,hTq3ah!-(~@:Ro0Ou!5RhXj^v(pyw8unRhVd|)`,^UYas!a?/a2Z'a^Ta{Tb7Ta(a#!a,Wf&9sZ3DtAadamov=Bqt3[xig8vsRm~>waiL2b`{QJv*_Ouv2qgj<v]v2BqfdR'X*X#Y-@3qr~Gqv~?p6hHv-]glPup5Lq+q?_%*b_{qF{n9b^{rOu4ARhpKvCD!+&~Bqp:5Dbb}nwoiKl&unuTuBv]v+ueunaXRf0=Jvh!0nKufu8v1w&w7q%w&uHrz:Rgnj5w,uxDJq/(!hNw'5ReCk0s2u3w/w'5ReFd>Za&!*UaA=<wkgsRnSJv^!%Refifw3vyRgOKu_B'!,<]gkiiu:w&Rh<=C@a^<B57@2F{[<B5@aW:=3away9A5aW=<B=C@a^<B57@2F{Ie-#`(^^^bCara.b8aza6!/bZ,!adTbnTbOb+aFaS!aAT9@Wf~2Wli3Dtl2@d,#Y&RfnRfmJwJZtN~GqyJva&!VyMg<v~Rm%iXuJu3Rm9Jv[_=]ih9wlkDRkCd1#`(@Wg>2Wls3cH#T(@<Rj*=>Ri|b~'#23s9h<~El.d'#Y&Dtxi^rzvdRl#d*#U%(o|B2s`hJwSaxRmDKv4B&!1:Rmdd5#`'Vx}to~Hq{x'f1v3(!BA5ba|bJv_&!Wfug1v]ReIdO+U/Y#&G}-8wze=Rh{g1v]ReHg/uQRf/by#)ibQwERl/cH#T(@<Rj+=>Ri{cNu+vlax-!(#a0qa9<Rii2;;bU{H;x<i=&X#Rk`<4wwi=C9H~8xAI(Y#<azRi@45wXI<B9;5bb~7dL(X#Xa(+!aL6Vy{g5QqOau:5au2@ay547EzbxOcU(UX-T#Ta#:Cbb|A?wjh/b_|SOw6ARgtihr}u7Rhy<d1#T)X1@@=I|~=ay<2@@=aybb}Sj3vLv;<d,#Y(56H}A978H}@dGpvs@uAu`vcw9*!aFa+ai%(b!aXa8.a?a[ozWey=sU2@G}Nch&U#Rf_WexKu+D#'!t:~Gr`~?r^j]uNr|~FRg*j^psurwJt|RmcKv)@&!)7Rkv~Br[@wxfO:Rl3co#U'6Rezj_q#vIuavjRltwzeyh@vr5JqD0!>aY?C9:9au@9Cb]}9cl#U*5;5<H||jbuus1ucv&Rfvg1v~d/pppzqFr^a--a~!aMat1(hFv;Wiz@@=Izoj5uuv-7Rix~Cw`fk2WlVcZ#X,k)u3vWs@u2]ktg;wEx'fBq(_2Wg/jTv|vV~EfoJv]!15x'hzqG!(P~EfU~CRl_j6v(us5x4i-#T(2WmZ?C2F|d>Kq<aj1!*jTqIsBv=Wl`~Cw`fi2WlWj`v0u*~>RlR=c>Z,k#u3vWs@u2]kr<c1Z+jTqIsBv=Wla~Cw`fm2WlXdmb3!a{(arZa`bkTa%TbQTa-a9+c'!aM!/[yL=Bqug.w'RifhFvyDRj.g>vgwyk^9]k^Jv3_@WfbAARkhJw2_[x|JvB_wkoIRoKwkoJRoLd'(Y#<]gm=<9<H|yd'%_X#skDtb3awwqkgNulRkgdB#^',9:p'hJwSaxRmEBwVb8@4=H|qLu+w50&!)@3qs~?pU>Awwn;;Rn=c:Z'ARn<=<qwKvC@!/&~BqqJv6!&]eVb^z^xRge'/a%+^`#Sge}6<4Rn3=]n0Pw2>Rn8Jw0!&>Rn:>Rn6cY#a7+!a&=<wkaNw~h3z_c5Z{=wjh#=]nLKv^D!&)Vyz=bW|swYb<WetcG#T(2wxa@qVx@gD#Y&b^|V5JwG&!5bb|pg/w&RgD@x=kHs=uAvn!a%%/'+RmSRh694Ro`g-vaRmRhHv-]mlxCcS#`&ba~.5cD#Ta)P~=d,#Y(56H{>978H{Dd_#{2^Y%_+qbbb{6g3sERhsbU{?dfa.,`a(Xa<!aiX#(55RiG54RiHcI#T'WiU3RiVNvdwtfcRlKNvdd,#Y&RlHRlExQgf.1*^T'X#Sgf}6Wn4=]hfPrk>Rn7Jw0!&>Rn5>Rn9Lunw?&a2!,5<oq@@wqfdRlJj5Q~=d,#Y(~ARfcOuN]fdDKw;ay(}i!547E}j?cI#T(@5bV}iCbV}hdv(^^Tb?a40,b##Tbo!a*bR!a<b|a/!aKai!aU[yK=]o^g:v>ReGJwPZtK<7Rh+h<~El,Pv#5ReR@awwxjCg,ulRjDJv6&!]j!z?aQeeg>w=Sh<eeJw;!&axEzOg,Qosc!#*:wkeJ]eJ>x'h-u(!%Ro.w~h.zPdNZ(X,Ya![x{;9ReY;wkgxRiF:x?ap#Y&RmUg<s2Rkod]+UY0TZ'!a&A9sw<=bczLNvuw{gqzNhJwSaxRmCKuLay!#&s_Rf-55b^{uJvZa!!c%#(55Ri654wmiu5RiuawLu,vp!+}^%b_}Y9;wkgxba}o>A9:=b^}zKuh=a''!3awRk3c*'!#aHRk6c+Z&Rk5Rk4Jv)&!awRjSawd9*`#0?C2@EzMj8u<uJ5RmbjQrquJu3x,k>uq@_+=ayb^|W~ARkEOuN]k@7dhzV^X/X&a-#zRzSb`zXcJzTT#2WkVKvDBzW!%FzY9;5bbzWjQrquJu3Jw3%!b`zU=ayb^zQd:#X(T-a!6Vyywxh}=b]{Jg=u1RiAdGp~qHtzv!w(wA+a+a;<!aJaYai'anasb(=azRmV:Cbb{MLq2vb!%')RjuRjrRjtRjqx3jnqCw3!%')Rk(Rk+Rk&Rk)Lq2vb!%')Rj{RjxRjzRjwLq2vb!%')RjsRjpRjfRjex3jcqCw3!%')Rk'Rk*RjkRjl9<CbbzfOu4ARhxLq2vb!%')RjyRjvRjhRjgx=joq*uKvb!%')+-Rk.Rk%Rj~Rk-Rk#Rj}x=jdq*uKvb!%')+-Rk,Rk!Rj|RjmRjjRjidAq&qKs@uAv8Aa.'*-a@a&0!aM@a5[y73Dsy3Ds|3Dt):wxgI2sHJwJZt.~Gqxwsf0ikrzt}Rl0Jvy_[xj~HqzKv_A|D!&WfP8axRoVcf,U#k(v]v+ueunaXRf1Ju}'!g8u#Ri=jQw!sCunLprq>!,')~<5qeGzq9F{W=c##%s5au:5aU3CBE|;d4#X(D!a&6Vygx(b;#(=]ed?C2F{N<capoq2r[a&!aPa9,'Pw;5s:@@=I|,55w_h|@@=IzcP~=x'fCqB_2Wl2>aU@@=I|1OuNBc1Z+jTqIsBv=Wlc~Cw`fl2WlZ~AcTa%!Z+jTqIsBv=Wlb~Cw`fh2WlYk+uNqJsBv=WlSg,u3dca3#UXaMYa)TaB-=cM|7T#<bI}l5@B932:aV2G{BOuNBJq:|M!5Ezt=<B=C@a^<B57@2F{v>cB{/T#=ay<bI{3Jv6!a.6BKq0ah&+!5E}HP~Ef{978BaU@@=Iza<7d#.Y#978BaU@@=IzH~AJq0!(@@=IzG978BaU@@=IzFe,aU*Y&^^^bvJb,b:bFad!a,c2Ta>aL.bo6!a#CbTa'T#Re{2Wlh2@G{yg6t~Ro_NvdRfticuRQRllJv3&!x&c|zs@Jw3!%RflwpfkRlpKuL;%(!Re<@G|C2GzdhIvuBwgjAg-u0RjAKQB%!(GzZ@G|5NuuRl7d='T+Y#Vy[g<v~Rm!==G|>JvA!)@wma=]m1ifuaw&RmnLs@vT'!|/+[y,g:v>ReTJw1!#qX=x!eC{bLu+wT&)ZtZauq_~Graci&U#F|89:r_Lupvq!.)&2RlG8RfaC=x!eF{_h?rpWlmd&'!#X|&]k::xJey#`'T|+<E|&2@H|%dE#(^,g;u.RiEg6vjRiC9xCkA{O|zY#g=ucRmXKs0@!&*@G|m@awRknJuh!,3d(}gY}eJvj!%Rm):Jw3!%Rm+Rm-Ls0w(&!a(a#@b[|6cZ#X'7RkxWgAOu4ARn'dH'U#Y*Vz-Wm'CARm}d]*#a%^a*T'aK!a<9bV{PC=p*Jw4!&SgxcbB5r]idw(wBRmF7xFkt#&`(Rm/Rm8E|!JuY_9:Rl5=wrgr2:bbxd@xXfB(a*#T+!.X0X1Ta/a'T&RlDRfL>RlyARl9b[z[>RfZ:RlL:RfRwlg/ARl;9;RlxKv,A/!%7s69<74=BA5ba{-8Bde#`a<XaKYa1,a'P~=wxfB2bZ}}?C972@@=I}r8@55B9;5bb}G978B2@@=aybb}3j3vLv;<Jw3&!>Rfk=ayb^}4~Ad1#`*@@=aybb{w2@>==<bbz]dx+UY#^UaF!a9!bB'Ya1.!ajXa#%olRhD[y=3Dt#Ov5BrHKuMB%!(Rf^Wep~HrJwkiQjKr|~FRg)Ku+D#'!t5~GrF~?rDdV)UY,Z/_7RkuG{<~BrBg,rlsO:235B@bX}|d?a1!#`(6Vyn5@d##Y+jTv|vV~EfIj]uNpn~FRfH7Lq2vb1!a9-978BaU@@=Iz9978BbU}#~AJq0!(@@=Iz8978BaU@@=Iz7~AJQ|}!978BbU}!JvkaK!AdUa21-U#`a+(g/vsRn~Ou!5RPj:rmu9WhOjXuvvNr}:RhAj^v(pyw8unRn[kPr}p|u7vwv]RiSBd;pppzq@qHQa?(b.!a.a`@.|xa(hFv;Wiyj5uuv-7Riw~Cw`fg2WlU978BbU|wOuNBJqG!(P~EfD~CRlQcZ#X,k)u3vWs@u2]ksg;wEx'f@q1_2Wg.j]uNpn~FRfqJv]!15x'h{qG!(@@=IzK~CRl^j6v(us5x4i,#T(2WmY?C2F{1>Kq<aj1!*jTqIsBv=Wld~Cw`fj2Wl[j`v0u*~>RlT=c>Z,k#u3vWs@u2]kq<c1Z+jTqIsBv=Wle~Cw`fn2Wl]dn1#c(a(b^a2!b/bAT(bj!aDa7bu,a_a{c0!2T0g:v>ReD2@G{42@G{5~DpM~<5rc=Bx6i>{RT#RnI@zCx]y]z:2Jv[!zr5Awyk]9]k]dD(Y+X#6Vz.g=wKtgwhaCwgmTWj2Lu,w%_+/[y-B;b^xeg3u3Rj-2@bX{*KrJ<!+'@Wg(g?QRlC@Jv`!%b[zIwsfII}8JQ_@w|kW|=Jv(%!AqcOuNBJvEzh!bYzjLs@wP#(0!oy@>RkdJwMZtc3Dtd@BcG#T'9bWxg2@2Fznd*#Y+;2x'c}w<zizixNgwa#Z'U+!/!a'!a+w~g~z6wcn{Rn}wcnzRn|5Rh%=]nJg5vuRmvNvdRlvcprJu}w*az*a#!%.a.'Bot9qT]kj@Wg'ay2Gzv@Jv`!%b[zEwsfHI}1;ck#Ux`<Cbbx_Lu+w!a&0*!wko*wwo,So,}6Juqxf!E}PigQuyRm`d3(`#8>Rn%:A5B;bZ~%KvhCa!a2!x>k7#Uxb@b{#xaRk7Jw0!)>wwhlShl}6>wwhmShm}6CJvB!.x'hhvj{!!5Bwkhhbaz}x'hivjz~!5Bwkhibaz|xEhTrNu,v-vpD!a%&/)a3a.,%Ro2t[CE{)@3re9b]{%wjo09:rgc:Z&Ro6=<riifuaw&RmoKrNA!%(Ro4>Ro89;Ri`dSaL'UYzxZb)7Rka3xRhT&!,!#^1U}vbaz{>>@=be}yC@:D5bazzKu+A&!}{?ba}y>>@=be}wxBh[t`u~vJvr!%a!a()a,a0a4RoC=]o;Ju(!%RoGRhdwjh`=]oAg>w#Ro?g5vuRo=NvdRl|Ku]C.!&;RoEJvB!%RoORoMBx'h[v+_?w~h`}~5?w~hd~!xKh]oiptu-utv.vp!#%&a30a@a'a+(a/aOp(o~p!RoDJu(!%RoHRhewjha=]oBNvdRl}g>w#Ro@g5vuRo>c[#X']o<CauRoRAd-#Y':RkpauRoQKu]C.!&;RoFJvB!%RoNRoPBx'h]v+_?w~ha}t5?w~he}ue!/UbhYacXaW^Tc&a;b:a-c/#b&aja1(!cL+!bKbt!bmcRc9aIc?8[yW3Dtt94Rg`Jv}!&SiRMzBhEebShEMNuPRe>x7gL#TzuwjirRipc<Z&>on;>z=h-MSh.Mwqczx'a7vj&!>Re4@=ResJt__NuPRi*NuPRi)j]uNr|~FRfzKrJ>_+@Wfy@Wf]2WocKrJ<!+'@Wg%g/QRl@@Jv`!&awRl<wsfFIzgLu(w*!.*&ShBMwvhIRhI9;RhNx1hK'!#Sn]Mx1hK~0!#:2<H~7cNu+w7D*'1ZtW>Rn1~?rOc:Z&Rn2=<rQ<7wjh&=BSnLMc]#X(6Vz)w[b=a!U#9wzgMc3#&(RgMRitRis<x,gKt`ax!&+SioM=BSilMc3#&(RgKRinRimKurB,!&SiQMzBhDebShDM6BJQ!(P~Efx978B2@@=I}WLrJw!!,a*&@G}O@9wkibRid@@x'fKwC!&SlDMSfLMjUv~Q~EfKKv3@a+!(hFv-]mpx/hYZ(C5RiWz<o/MwkhY?So/M@x,gbvfB*&!SgEM:SoeeehFu3:Rgbda(,^TZa)X/7Sg[eb:2RgI~BrMC@wgkc:wwkcRerx3h(uUvK!&*,SnOM4Sh*MArRg;wHRh(x=h;rJvPwI!a4',a'0@Wg&=BSh/Mg>w=Rh=g3w*wwgGRgGcW(X#;Sg}M2Gzk@Jv`!&awRl=wsfGIz`dKZ*T'Y-:RhR7RhQg5u-p`j6v(us5d,#Y+~Awkia?RicOuNBwkibba}Ld6p~tyu_vbAa'a+!a/'a3aEa8a!>Sh,ebJv{!&Sh@ebSaReb9;SgwebNuPRi(NvdRl)NuPRi'hHu^<Rm^Jvv_@Wl(g;u1Si/ebKu'B&!*Sh?eb@Wl'z@aPeb95Si.ebcpputyvjB)!,&a+0a%ShAMWeK@G}C@WfJ9;RhMwvhH9w{ia}ix,hJvRA1(!zAn[MRhHx1hJ~*!#hFv(BSn[MBJQ!(@@=I~'978B2@@=I}2db.Ua<'X}+T#a0XaG2G}E;wkg|wuh!Rh!x,hZu,@)!&So0MVy)C5RiXACJvB!&5RiY5RiZg8w)cG}*T#2@bU}=KsA>(!a.3wkhZba~(x,h^u(A!&(SoCMRhb5Bz=h[eb?w~hb~6x,h_u(A!&(SoDMRhc5Bz=h]eb?w~hc~6e)aA1T#T,^^^c-bMb&blcPaP(a/!0!bA=b5c@a(!bfbrc#2afwmhARnjwchORnp2Wlf3DtsNvdRl-2@wpa<]m0bx(#:awRk2@Jw3!%RfhwpfgRlnKQB%!(G{V@G|'NuuRl6d='T+Y#VyUg<v~Rl~==G|<Jv+'!aYShC}6@B<5?ba~8@Jw3'!g2QRljhLrpWlOd+#Y'g.w'rIg>w*wgj@g-u0Rj@Lu+wT&)ZtUauq]~GrGci&U#F|39:rELrNvj!.%*RhCwunfw~nf~:9;Ri]>wtnhg;wHRnhx3hDs@v~!/+'@Wfr@9RkSNu&Rlo=@<5GzoKs0@_+@Wl+@awRkmJuh!-3d(}pY#qWJvj!%Rm(:Jw3!%Rm,Rm*de&!1U-U#`)Re;@G|.@9Ri82@wjfvRlq=@<5GzpLvOvr!).&2RlF8Rf`C=x!eE{.Jw3_g2QRlkhLrpWlPde(!#U{s,UXa*Ta'[y'g:v>ReS;x0PZ&RnlRnn~HrKJw1}f!=x!eB|2w]aP(#Xa&a*Ta.Ua2a7=]iOd'#Y&Ro&WnWg;u.RiDg6vjRiBNvdRlzhNvj]nYJuW_2Wm3x)kFze{9d])!a.!,Y01!#&aC!a3RndC=ox~BrC@2b^{pg,rlse7x'ksuq!%Rm.E{xidw(wBRmGx9o+)X#wwo-So-}69:Rl4@xSf@a#XZ'X)X,Ta(/ARl8b[xc>RfY:RlI:RfQwlg.ARl:9;Rlwdn'#^XafaQa1X1TaHTa)@b[{zcZ#X'7RkwWg@Ou4ARn&x)kG#{,g7u/RkGdH'U#Y*Vz'Wm&CARm|bx#(A]gUbUzJj9Q~=d,#Y(56H}l978H{U7d,0#U*2>ABb_xZ978BbU{e~AJQ{g!978BbU{hxMh?ad{oUYZ.x1h?{l!#:2<H{mx3n[t{vl!,&a%3Ro(z=iS}6ARnr=Bwsn^wvn`Rnbd`*T}B0!#^X'BG{c9b]{a>>@=be}F?JvS!&BG{d7BG}(Bde#`a1X,Ya@!a'P~=wxf@2bZ}I56B2@@=aybb}08@55B9;5bb}<j3vLv;<Jw3&!>Rfg=ayb^}&OuNBKuLA!)a!P~=x#fD{f2@>==<bbzl?C972@@=Ix^d6rSu,v7w*C(0a)a6#B+a%!sQ[y?3Dt%3[xn~<5rLOu!5p@Ku+D#'!t7~GrP~?rNKvlaya7'!h+v-5qMg=t|cd,U#5AAaa5Abb{S@52B5@a[@52B5Gx[iXueu;d<#`a(!/549C;ag>23ExY5@Dah89b^~689Jv)!~2b[~1Lv'w(%*!a#bX|aPrmawRe]keu7uhv-q6rxu,q`xTo]/a5aU!bNaDXbi!b-!ao!b<bwA!#5@B932:aV2G|:d-)Y#hJrL>RhG<7@C5<H|_=Cau:5aj5@B932:bJ|ng>vIbs)#?C2F|9jPv0w.vISh-MKvUaz(.!9ABbb|[5;5<H|Eg>unwfh;9:4E|YjQsBt|vjx'hYq3!(?C2F|J:2<BaY?C2F|GOu!5x,g|p{ah!-(?C2F|c9:4E|OjXuvvNr}:Rh&i[w*t|cd+U#jJvsu)vsSn~Mkfrmu9p}u7vwv]So!McW#Xa!ax5@A5aY:5;5<H|>kJv~vYrquJu3x4ib#T)2@SmZM?C2F|Bj:rmu9@xPhI(a*a#U#`a3-5Abb|L~@:RhK9:4E|0@52B5G|#C::aY?C2F|-:2<BaY?C2F|.5Jvk!a)javYrquJu3x4ia#T)2@SmYM?C2F|HAxPhH(!a#U#`a*-5Abb|4~@:RhJ9:4E|R@52B5G|F:2<BaY?C2F|Sc^#Xa2j=Qq5CJvB!-g<v{z;hhM?C2F|Zi[vrv{z;hiM?C2F|XKsA>!a)-g<v{z;h[eb?C2F|]i[vrv{z;h]eb?C2F|^iZu.vix,hZq3ah!.(?C2F|QOu!5ShXM:2<BaY?C2F|P", 13494, 2713, 49, 25, 61);
var BinTrieFlags;
(function(e) {
  e[e.VALUE_LENGTH = 49152] = "VALUE_LENGTH", e[e.FLAG13 = 8192] = "FLAG13", e[e.BRANCH_LENGTH = 8064] = "BRANCH_LENGTH", e[e.JUMP_TABLE = 127] = "JUMP_TABLE", e[e.VALUE_MASK = 8191] = "VALUE_MASK";
})(BinTrieFlags || (BinTrieFlags = {}));
function _typeof(e) {
  "@babel/helpers - typeof";
  return _typeof = typeof Symbol == "function" && typeof Symbol.iterator == "symbol" ? function(n) {
    return typeof n;
  } : function(n) {
    return n && typeof Symbol == "function" && n.constructor === Symbol && n !== Symbol.prototype ? "symbol" : typeof n;
  }, _typeof(e);
}
function toPrimitive(e, n) {
  if (_typeof(e) != "object" || !e) return e;
  var r = e[Symbol.toPrimitive];
  if (r !== void 0) {
    var t = r.call(e, n || "default");
    if (_typeof(t) != "object") return t;
    throw new TypeError("@@toPrimitive must return a primitive value.");
  }
  return (n === "string" ? String : Number)(e);
}
function toPropertyKey(e) {
  var n = toPrimitive(e, "string");
  return _typeof(n) == "symbol" ? n : n + "";
}
function _defineProperty(e, n, r) {
  return (n = toPropertyKey(n)) in e ? Object.defineProperty(e, n, { value: r, enumerable: true, configurable: true, writable: true }) : e[n] = r, e;
}
var CharCodes;
(function(e) {
  e[e.AMP = 38] = "AMP", e[e.NUM = 35] = "NUM", e[e.SEMI = 59] = "SEMI", e[e.EQUALS = 61] = "EQUALS", e[e.ZERO = 48] = "ZERO", e[e.NINE = 57] = "NINE", e[e.LOWER_A = 97] = "LOWER_A", e[e.LOWER_X = 120] = "LOWER_X";
})(CharCodes || (CharCodes = {}));
var TO_LOWER_BIT = 32;
var CONSUMED_SHIFT = 21;
var CODE_POINT_MASK = 2097151;
var CONSUMED_OVERFLOW = 2047;
var longNumericConsumed = 0;
function unpackConsumed(e) {
  const n = e >>> CONSUMED_SHIFT;
  return n === CONSUMED_OVERFLOW ? longNumericConsumed : n;
}
function isNumber(e) {
  return e - CharCodes.ZERO >>> 0 <= 9;
}
function isHexadecimalCharacter(e) {
  return (e | TO_LOWER_BIT) - CharCodes.LOWER_A >>> 0 <= 5;
}
function isAlpha(e) {
  return (e | TO_LOWER_BIT) - CharCodes.LOWER_A >>> 0 <= 25;
}
function isEntityInAttributeInvalidEnd(e) {
  return e === CharCodes.EQUALS || isAlpha(e) || isNumber(e);
}
var EntityDecoderState;
(function(e) {
  e[e.EntityStart = 0] = "EntityStart", e[e.NumericStart = 1] = "NumericStart", e[e.NumericDecimal = 2] = "NumericDecimal", e[e.NumericHex = 3] = "NumericHex", e[e.NamedEntity = 4] = "NamedEntity";
})(EntityDecoderState || (EntityDecoderState = {}));
var DecodingMode;
(function(e) {
  e[e.Legacy = 0] = "Legacy", e[e.Strict = 1] = "Strict", e[e.Attribute = 2] = "Attribute";
})(DecodingMode || (DecodingMode = {}));
function determineBranch(e, n, r, t) {
  const i = (n & BinTrieFlags.BRANCH_LENGTH) >> 7, o = n & BinTrieFlags.JUMP_TABLE;
  if (o) {
    if (i === 0) return t === o ? r : -1;
    const c = t - o;
    if (c >>> 0 >= i) return -1;
    const a = e[r + c];
    return a === 0 ? -1 : r + i + a - 1 & 65535;
  }
  if (i === 0) return -1;
  const s = i + 1 >> 1, l = r + s + i;
  for (let c = 0; c < i; c++) {
    const a = e[r + (c >> 1)] >> ((c & 1) << 3) & 255;
    if (a === t) return l + e[r + s + c] & 65535;
    if (a > t) return -1;
  }
  return -1;
}
function readTrieValue(e, n, r) {
  return r === 1 ? String.fromCharCode(e[n] & BinTrieFlags.VALUE_MASK) : r === 2 ? String.fromCharCode(e[n + 1]) : String.fromCharCode(e[n + 1], e[n + 2]);
}
function parseNumericEntity(e, n, r) {
  let t = n + 1, i = 0, o = t;
  if (t < r && (e.charCodeAt(t) | TO_LOWER_BIT) === CharCodes.LOWER_X) for (t += 1, o = t; t < r; ) {
    const l = e.charCodeAt(t);
    if (isNumber(l)) i = i * 16 + (l - CharCodes.ZERO);
    else if (isHexadecimalCharacter(l)) i = i * 16 + ((l | TO_LOWER_BIT) - CharCodes.LOWER_A + 10);
    else break;
    t += 1;
  }
  else for (; t < r; ) {
    const l = e.charCodeAt(t) - CharCodes.ZERO;
    if (l >>> 0 > 9) break;
    i = i * 10 + l, t += 1;
  }
  if (t === o) return 0;
  t < r && e.charCodeAt(t) === CharCodes.SEMI && (t += 1), i > 1114111 && (i = 1114112);
  let s = t - n;
  return s >= CONSUMED_OVERFLOW && (longNumericConsumed = s, s = CONSUMED_OVERFLOW), s << CONSUMED_SHIFT | i;
}
function decodeWithTrie(e, n, r) {
  const t = htmlDecodeTree;
  let i = e.indexOf("&");
  if (i < 0) return e;
  const o = e.length;
  let s = 0, l = "";
  const c = t[0], a = c & BinTrieFlags.JUMP_TABLE, h = (c & BinTrieFlags.BRANCH_LENGTH) >> 7;
  do {
    const f = i + 1, d = e.charCodeAt(f);
    let p, u;
    if (d === CharCodes.NUM) {
      const w = parseNumericEntity(e, f, o);
      p = unpackConsumed(w), n && p > 0 && e.charCodeAt(f + p - 1) !== CharCodes.SEMI && (p = 0), u = p === 0 ? "" : codePointToString(w & CODE_POINT_MASK);
    } else if (isAlpha(d)) {
      p = 0, u = "";
      const w = d - a;
      let m;
      if (w >>> 0 < h) {
        const R = t[1 + w];
        m = R === 0 ? -1 : h + R & 65535;
      } else m = -1;
      let v = 0, x = 0, b = m < 0 ? 0 : t[m], k = f + 1;
      e: for (; k < o; ) {
        for (; (b & (BinTrieFlags.VALUE_LENGTH | BinTrieFlags.FLAG13)) === 0 && (b & BinTrieFlags.JUMP_TABLE) !== 0; ) {
          const y = b & BinTrieFlags.JUMP_TABLE, A = (b & BinTrieFlags.BRANCH_LENGTH) >> 7;
          if (A === 0) {
            if (e.charCodeAt(k) !== y) break e;
            m += 1;
          } else {
            const E = e.charCodeAt(k) - y;
            if (E >>> 0 >= A) break e;
            const C = t[m + 1 + E];
            if (C === 0) break e;
            m = m + A + C & 65535;
          }
          if (b = t[m], k += 1, k >= o) break e;
        }
        if ((b & (BinTrieFlags.VALUE_LENGTH | BinTrieFlags.FLAG13)) === BinTrieFlags.FLAG13) {
          const y = (b & BinTrieFlags.BRANCH_LENGTH) >> 7;
          if (e.charCodeAt(k) !== (b & BinTrieFlags.JUMP_TABLE)) break;
          k += 1;
          const A = y - 1;
          let E = m + 1, C = 0;
          for (; C + 1 < A; C += 2) {
            const T = t[E];
            if (e.charCodeAt(k) !== (T & 255) || (k += 1, e.charCodeAt(k) !== (T >> 8 & 255))) break e;
            k += 1, E += 1;
          }
          if (C < A) {
            if (e.charCodeAt(k) !== (t[E] & 255)) break;
            k += 1;
          }
          m += 1 + (y >> 1), b = t[m];
          continue;
        }
        const R = b >>> 14, g = e.charCodeAt(k);
        if (R !== 0) {
          if (g === CharCodes.SEMI) {
            p = k - f + 1, u = R === 1 ? String.fromCharCode(b & BinTrieFlags.VALUE_MASK) : readTrieValue(t, m, R);
            break;
          }
          if (!n && (b & BinTrieFlags.FLAG13) === 0 && (p = k - f, v = m, x = R), R === 1) break;
        }
        const _ = determineBranch(t, b, m + (R || 1), g);
        if (_ < 0) break;
        m = _, b = t[m], k += 1;
      }
      if (u === "") {
        const R = b >>> 14;
        R !== 0 && !n && (b & BinTrieFlags.FLAG13) === 0 && (p = k - f, v = m, x = R), p > 0 && (u = readTrieValue(t, v, x));
      }
    } else p = 0, u = "";
    p === 0 || r && d !== CharCodes.NUM && e.charCodeAt(f + p - 1) !== CharCodes.SEMI && f + p < o && isEntityInAttributeInvalidEnd(e.charCodeAt(f + p)) ? i = f : (s < i && (l += e.slice(s, i)), l += u, i = s = f + p), e.charCodeAt(i) !== CharCodes.AMP && (i = e.indexOf("&", i));
  } while (i >= 0);
  return l + e.slice(s);
}
function decodeHTMLStrict(e) {
  return decodeWithTrie(e, true, false);
}
var utils_exports = __exportAll({ arrayReplaceAt: () => arrayReplaceAt, asciiTrim: () => asciiTrim, callable: () => callable, escapeHtml: () => escapeHtml, escapeRE: () => escapeRE, fromCodePoint: () => fromCodePoint, isMdAsciiPunct: () => isMdAsciiPunct, isPunctChar: () => isPunctChar, isPunctCharCode: () => isPunctCharCode, isSpace: () => isSpace, isValidEntityCode: () => isValidEntityCode, isWhiteSpace: () => isWhiteSpace, lib: () => lib, normalizeReference: () => normalizeReference, unescapeAll: () => unescapeAll, unescapeMd: () => unescapeMd });
function callable(e) {
  const n = function(...r) {
    return Reflect.construct(e, r, new.target && new.target !== n ? new.target : e);
  };
  return Object.defineProperty(n, "name", { value: e.name }), Object.setPrototypeOf(n, e), n.prototype = e.prototype, n;
}
function arrayReplaceAt(e, n, r) {
  return [].concat(e.slice(0, n), r, e.slice(n + 1));
}
function isValidEntityCode(e) {
  return !(e >= 55296 && e <= 57343 || e >= 64976 && e <= 65007 || (e & 65535) === 65535 || (e & 65535) === 65534 || e >= 0 && e <= 8 || e === 11 || e >= 14 && e <= 31 || e >= 127 && e <= 159 || e > 1114111);
}
function fromCodePoint(e) {
  if (e > 65535) {
    e -= 65536;
    const n = 55296 + (e >> 10), r = 56320 + (e & 1023);
    return String.fromCharCode(n, r);
  }
  return String.fromCharCode(e);
}
var UNESCAPE_MD_RE = /\\([!"#$%&'()*+,\-./:;<=>?@[\\\]^_`{|}~])/g;
var UNESCAPE_ALL_RE = new RegExp(`${UNESCAPE_MD_RE.source}|${/&([a-z#][a-z0-9]{1,31});/gi.source}`, "gi");
var DIGITAL_ENTITY_TEST_RE = /^#((?:x[a-f0-9]{1,8}|[0-9]{1,8}))$/i;
function replaceEntityPattern(e, n) {
  if (n.charCodeAt(0) === 35 && DIGITAL_ENTITY_TEST_RE.test(n)) {
    const t = n[1].toLowerCase() === "x" ? parseInt(n.slice(2), 16) : parseInt(n.slice(1), 10);
    return isValidEntityCode(t) ? fromCodePoint(t) : e;
  }
  const r = decodeHTMLStrict(e);
  return r !== e ? r : e;
}
function unescapeMd(e) {
  return e.indexOf("\\") < 0 ? e : e.replace(UNESCAPE_MD_RE, "$1");
}
function unescapeAll(e) {
  return e.indexOf("\\") < 0 && e.indexOf("&") < 0 ? e : e.replace(UNESCAPE_ALL_RE, function(n, r, t) {
    return r || replaceEntityPattern(n, t);
  });
}
var HTML_ESCAPE_TEST_RE = /[&<>"]/;
var HTML_ESCAPE_REPLACE_RE = /[&<>"]/g;
var HTML_REPLACEMENTS = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
function replaceUnsafeChar(e) {
  return HTML_REPLACEMENTS[e];
}
function escapeHtml(e) {
  return HTML_ESCAPE_TEST_RE.test(e) ? e.replace(HTML_ESCAPE_REPLACE_RE, replaceUnsafeChar) : e;
}
var REGEXP_ESCAPE_RE = /[.?*+^$[\]\\(){}|-]/g;
function escapeRE(e) {
  return e.replace(REGEXP_ESCAPE_RE, "\\$&");
}
function isSpace(e) {
  switch (e) {
    case 9:
    case 32:
      return true;
  }
  return false;
}
function isWhiteSpace(e) {
  if (e >= 8192 && e <= 8202) return true;
  switch (e) {
    case 9:
    case 10:
    case 11:
    case 12:
    case 13:
    case 32:
    case 160:
    case 5760:
    case 8239:
    case 8287:
    case 12288:
      return true;
  }
  return false;
}
function isPunctChar(e) {
  return uc_micro.P.test(e) || uc_micro.S.test(e);
}
function isPunctCharCode(e) {
  return isPunctChar(fromCodePoint(e));
}
function isMdAsciiPunct(e) {
  switch (e) {
    case 33:
    case 34:
    case 35:
    case 36:
    case 37:
    case 38:
    case 39:
    case 40:
    case 41:
    case 42:
    case 43:
    case 44:
    case 45:
    case 46:
    case 47:
    case 58:
    case 59:
    case 60:
    case 61:
    case 62:
    case 63:
    case 64:
    case 91:
    case 92:
    case 93:
    case 94:
    case 95:
    case 96:
    case 123:
    case 124:
    case 125:
    case 126:
      return true;
    default:
      return false;
  }
}
function normalizeReference(e) {
  return e = e.trim().replace(/\s+/g, " "), e.toLowerCase().toUpperCase();
}
function isAsciiTrimmable(e) {
  return e === 32 || e === 9 || e === 10 || e === 13;
}
function asciiTrim(e) {
  let n = 0;
  for (; n < e.length && isAsciiTrimmable(e.charCodeAt(n)); n++) ;
  let r = e.length - 1;
  for (; r >= n && isAsciiTrimmable(e.charCodeAt(r)); r--) ;
  return e.slice(n, r + 1);
}
var lib = { mdurl, ucmicro: uc_micro };
function parseLinkLabel(e, n, r) {
  let t, i, o, s;
  const l = e.posMax, c = e.pos;
  for (e.pos = n + 1, t = 1; e.pos < l; ) {
    if (o = e.src.charCodeAt(e.pos), o === 93 && (t--, t === 0)) {
      i = true;
      break;
    }
    if (s = e.pos, e.md.inline.skipToken(e), o === 91) {
      if (s === e.pos - 1) t++;
      else if (r) return e.pos = c, -1;
    }
  }
  let a = -1;
  return i && (a = e.pos), e.pos = c, a;
}
function parseLinkDestination(e, n, r) {
  let t, i = n;
  const o = { ok: false, pos: 0, str: "" };
  if (e.charCodeAt(i) === 60) {
    for (i++; i < r; ) {
      if (t = e.charCodeAt(i), t === 10 || t === 60) return o;
      if (t === 62) return o.pos = i + 1, o.str = unescapeAll(e.slice(n + 1, i)), o.ok = true, o;
      if (t === 92 && i + 1 < r) {
        i += 2;
        continue;
      }
      i++;
    }
    return o;
  }
  let s = 0;
  for (; i < r && (t = e.charCodeAt(i), !(t === 32 || t < 32 || t === 127)); ) {
    if (t === 92 && i + 1 < r) {
      if (e.charCodeAt(i + 1) === 32) {
        i++;
        continue;
      }
      i += 2;
      continue;
    }
    if (t === 40 && (s++, s > 32)) return o;
    if (t === 41) {
      if (s === 0) break;
      s--;
    }
    i++;
  }
  return n === i || s !== 0 || (o.str = unescapeAll(e.slice(n, i)), o.pos = i, o.ok = true), o;
}
function parseLinkTitle(e, n, r, t) {
  let i, o = n;
  const s = { ok: false, can_continue: false, pos: 0, str: "", marker: 0 };
  if (t) s.str = t.str, s.marker = t.marker;
  else {
    if (o >= r) return s;
    let l = e.charCodeAt(o);
    if (l !== 34 && l !== 39 && l !== 40) return s;
    n++, o++, l === 40 && (l = 41), s.marker = l;
  }
  for (; o < r; ) {
    if (i = e.charCodeAt(o), i === s.marker) return s.pos = o + 1, s.str += unescapeAll(e.slice(n, o)), s.ok = true, s;
    if (i === 40 && s.marker === 41) return s;
    i === 92 && o + 1 < r && o++, o++;
  }
  return s.can_continue = true, s.str += unescapeAll(e.slice(n, o)), s;
}
var helpers_exports = __exportAll({ parseLinkDestination: () => parseLinkDestination, parseLinkLabel: () => parseLinkLabel, parseLinkTitle: () => parseLinkTitle });
var Token = class {
  constructor(e, n, r) {
    _defineProperty(this, "map", null), _defineProperty(this, "level", 0), _defineProperty(this, "children", null), _defineProperty(this, "content", ""), _defineProperty(this, "markup", ""), _defineProperty(this, "info", ""), _defineProperty(this, "block", false), _defineProperty(this, "hidden", false), this.type = e, this.tag = n, this.attrs = null, this.nesting = r, this.meta = null;
  }
  attrIndex(e) {
    if (!this.attrs) return -1;
    const n = this.attrs;
    for (let r = 0, t = n.length; r < t; r++) if (n[r][0] === e) return r;
    return -1;
  }
  attrPush(e) {
    this.attrs ? this.attrs.push(e) : this.attrs = [e];
  }
  attrSet(e, n) {
    const r = this.attrIndex(e), t = [e, n];
    r < 0 ? this.attrPush(t) : this.attrs[r] = t;
  }
  attrGet(e) {
    const n = this.attrIndex(e);
    let r = null;
    return n >= 0 && (r = this.attrs[n][1]), r;
  }
  attrJoin(e, n) {
    const r = this.attrIndex(e);
    r < 0 ? this.attrPush([e, n]) : this.attrs[r][1] = `${this.attrs[r][1]} ${n}`;
  }
};
var Ruler = class {
  constructor() {
    _defineProperty(this, "__rules__", []), _defineProperty(this, "__cache__", null);
  }
  __find__(e) {
    for (let n = 0; n < this.__rules__.length; n++) if (this.__rules__[n].name === e) return n;
    return -1;
  }
  __compile__() {
    const e = /* @__PURE__ */ new Set();
    this.__rules__.forEach((n) => {
      n.enabled && n.alt.forEach((r) => {
        r && e.add(r);
      });
    }), this.__cache__ = /* @__PURE__ */ Object.create(null), this.__cache__[""] = [], this.__rules__.forEach((n) => {
      n.enabled && this.__cache__[""].push(n.fn);
    }), e.forEach((n) => {
      this.__cache__[n] = [], this.__rules__.forEach((r) => {
        r.enabled && r.alt.indexOf(n) >= 0 && this.__cache__[n].push(r.fn);
      });
    });
  }
  at(e, n, r = {}) {
    const t = this.__find__(e);
    if (t === -1) throw new Error(`Parser rule not found: ${e}`);
    this.__rules__[t].fn = n, this.__rules__[t].alt = r.alt || [], this.__cache__ = null;
  }
  before(e, n, r, t = {}) {
    const i = this.__find__(e);
    if (i === -1) throw new Error(`Parser rule not found: ${e}`);
    this.__rules__.splice(i, 0, { name: n, enabled: true, fn: r, alt: t.alt || [] }), this.__cache__ = null;
  }
  after(e, n, r, t = {}) {
    const i = this.__find__(e);
    if (i === -1) throw new Error(`Parser rule not found: ${e}`);
    this.__rules__.splice(i + 1, 0, { name: n, enabled: true, fn: r, alt: t.alt || [] }), this.__cache__ = null;
  }
  push(e, n, r = {}) {
    this.__rules__.push({ name: e, enabled: true, fn: n, alt: r.alt || [] }), this.__cache__ = null;
  }
  enable(e, n = false) {
    Array.isArray(e) || (e = [e]);
    const r = [];
    return e.forEach((t) => {
      const i = this.__find__(t);
      if (i < 0) {
        if (n) return;
        throw new Error(`Rules manager: invalid rule name ${t}`);
      }
      this.__rules__[i].enabled = true, r.push(t);
    }), this.__cache__ = null, r;
  }
  enableOnly(e, n = false) {
    Array.isArray(e) || (e = [e]), this.__rules__.forEach((r) => {
      r.enabled = false;
    }), this.enable(e, n);
  }
  disable(e, n = false) {
    Array.isArray(e) || (e = [e]);
    const r = [];
    return e.forEach((t) => {
      const i = this.__find__(t);
      if (i < 0) {
        if (n) return;
        throw new Error(`Rules manager: invalid rule name ${t}`);
      }
      this.__rules__[i].enabled = false, r.push(t);
    }), this.__cache__ = null, r;
  }
  getRules(e) {
    return this.__cache__ || this.__compile__(), this.__cache__[e] || [];
  }
};
var default_rules = {};
default_rules.code_inline = function(e, n, r, t, i) {
  const o = e[n];
  return `<code${i.renderAttrs(o)}>${escapeHtml(o.content)}</code>`;
}, default_rules.code_block = function(e, n, r, t, i) {
  const o = e[n];
  return `<pre${i.renderAttrs(o)}><code>${escapeHtml(e[n].content)}</code></pre>
`;
}, default_rules.fence = function(e, n, r, t, i) {
  const o = e[n], s = o.info ? unescapeAll(o.info).trim() : "";
  let l = "", c = "";
  if (s) {
    const h = s.split(/(\s+)/g);
    l = h[0], c = h.slice(2).join("");
  }
  let a;
  if (r.highlight ? a = r.highlight(o.content, l, c) || escapeHtml(o.content) : a = escapeHtml(o.content), a.indexOf("<pre") === 0) return a + `
`;
  if (s) {
    const h = o.attrIndex("class"), f = o.attrs ? o.attrs.slice() : [];
    h < 0 ? f.push(["class", `${r.langPrefix}${l}`]) : (f[h] = [f[h][0], f[h][1]], f[h][1] += ` ${r.langPrefix}${l}`);
    const d = { attrs: f };
    return `<pre><code${i.renderAttrs(d)}>${a}</code></pre>
`;
  }
  return `<pre><code${i.renderAttrs(o)}>${a}</code></pre>
`;
}, default_rules.image = function(e, n, r, t, i) {
  const o = e[n];
  return o.attrs[o.attrIndex("alt")][1] = i.renderInlineAsText(o.children, r, t), i.renderToken(e, n, r);
}, default_rules.hardbreak = function(e, n, r) {
  return r.xhtmlOut ? `<br />
` : `<br>
`;
}, default_rules.softbreak = function(e, n, r) {
  return r.breaks ? r.xhtmlOut ? `<br />
` : `<br>
` : `
`;
}, default_rules.text = function(e, n) {
  return escapeHtml(e[n].content);
}, default_rules.html_block = function(e, n) {
  return e[n].content;
}, default_rules.html_inline = function(e, n) {
  return e[n].content;
};
var Renderer = class {
  constructor() {
    _defineProperty(this, "rules", Object.assign({}, default_rules));
  }
  renderAttrs(e) {
    let n, r, t;
    if (!e.attrs) return "";
    for (t = "", n = 0, r = e.attrs.length; n < r; n++) t += ` ${escapeHtml(e.attrs[n][0])}="${escapeHtml(String(e.attrs[n][1]))}"`;
    return t;
  }
  renderToken(e, n, r) {
    const t = e[n];
    let i = "";
    if (t.hidden) return "";
    let o = n - 1;
    for (; o >= 0 && e[o].hidden && e[o].nesting === 0; ) o--;
    t.block && t.nesting !== -1 && o >= 0 && e[o].hidden && e[o].nesting === -1 && (i += `
`), i += (t.nesting === -1 ? "</" : "<") + t.tag, i += this.renderAttrs(t), t.nesting === 0 && r.xhtmlOut && (i += " /");
    let s = false;
    if (t.block && (s = true, t.nesting === 1)) {
      let l = n + 1;
      for (; l < e.length && e[l].hidden && e[l].nesting === 0; ) l++;
      if (l < e.length) {
        const c = e[l];
        (c.type === "inline" || c.hidden || c.nesting === -1 && c.tag === t.tag) && (s = false);
      }
    }
    return i += s ? `>
` : ">", i;
  }
  renderInline(e, n, r) {
    let t = "";
    const i = this.rules;
    for (let o = 0, s = e.length; o < s; o++) {
      const l = e[o].type;
      typeof i[l] < "u" ? t += i[l](e, o, n, r, this) : t += this.renderToken(e, o, n);
    }
    return t;
  }
  renderInlineAsText(e, n, r) {
    let t = "";
    for (let i = 0, o = e.length; i < o; i++) switch (e[i].type) {
      case "text":
      case "code_inline":
        t += e[i].content;
        break;
      case "image":
        t += this.renderInlineAsText(e[i].children, n, r);
        break;
      case "html_inline":
      case "html_block":
        t += e[i].content;
        break;
      case "softbreak":
      case "hardbreak":
        t += `
`;
    }
    return t;
  }
  render(e, n, r) {
    let t = "";
    const i = this.rules;
    for (let o = 0, s = e.length; o < s; o++) {
      const l = e[o].type;
      l === "inline" ? t += this.renderInline(e[o].children, n, r) : typeof i[l] < "u" ? t += i[l](e, o, n, r, this) : t += this.renderToken(e, o, n);
    }
    return t;
  }
};
var StateCore = class {
  constructor(e, n, r) {
    _defineProperty(this, "tokens", []), _defineProperty(this, "inlineMode", false), _defineProperty(this, "Token", Token), this.src = e, this.env = r, this.md = n;
  }
};
var UNNORMALIZED_NEWLINE_RE = /\r\n?/g;
var NULL_RE = /\0/g;
function normalize(e) {
  let n;
  n = e.src.replace(UNNORMALIZED_NEWLINE_RE, `
`), n = n.replace(NULL_RE, "\uFFFD"), e.src = n;
}
function block(e) {
  let n;
  e.inlineMode ? (n = new e.Token("inline", "", 0), n.content = e.src, n.map = [0, 1], n.children = [], e.tokens.push(n)) : e.md.block.parse(e.src, e.md, e.env, e.tokens);
}
function strip_references(e) {
  const n = e.tokens;
  let r = 0;
  for (let t = 0; t < n.length; t++) n[t].type !== "reference_definition" && (t !== r && (n[r] = n[t]), r++);
  n.length !== r && (n.length = r);
}
function inline(e) {
  const n = e.tokens;
  for (let r = 0, t = n.length; r < t; r++) {
    const i = n[r];
    i.type === "inline" && e.md.inline.parse(i.content, e.md, e.env, i.children);
  }
}
function isLinkOpen$1(e) {
  return /^<a[>\s]/i.test(e);
}
function isLinkClose$1(e) {
  return /^<\/a\s*>/i.test(e);
}
function linkify$1(e) {
  const n = e.tokens;
  if (e.md.options.linkify) for (let r = 0, t = n.length; r < t; r++) {
    if (n[r].type !== "inline" || !e.md.linkify.test(n[r].content)) continue;
    const i = n[r].children, o = [];
    let s = 0;
    for (let l = i.length - 1; l >= 0; l--) {
      const c = i[l];
      if (c.type === "link_close") {
        for (l--; i[l].level !== c.level && i[l].type !== "link_open"; ) l--;
        continue;
      }
      if (c.type === "html_inline" && (isLinkOpen$1(c.content) && s > 0 && s--, isLinkClose$1(c.content) && s++), !(s > 0) && c.type === "text" && e.md.linkify.test(c.content)) {
        const a = c.content;
        let h = e.md.linkify.match(a);
        const f = [];
        let d = c.level, p = 0;
        h.length > 0 && h[0].index === 0 && l > 0 && i[l - 1].type === "text_special" && (h = h.slice(1));
        for (let u = 0; u < h.length; u++) {
          const w = h[u].url, m = e.md.normalizeLink(w);
          if (!e.md.validateLink(m)) continue;
          let v = h[u].text;
          h[u].schema ? h[u].schema === "mailto:" && !/^mailto:/i.test(v) ? v = e.md.normalizeLinkText(`mailto:${v}`).replace(/^mailto:/, "") : v = e.md.normalizeLinkText(v) : v = e.md.normalizeLinkText(`http://${v}`).replace(/^http:\/\//, "");
          const x = h[u].index;
          if (x > p) {
            const g = new e.Token("text", "", 0);
            g.content = a.slice(p, x), g.level = d, f.push(g);
          }
          const b = new e.Token("link_open", "a", 1);
          b.attrs = [["href", m]], b.level = d++, b.markup = "linkify", b.info = "auto", f.push(b);
          const k = new e.Token("text", "", 0);
          k.content = v, k.level = d, f.push(k);
          const R = new e.Token("link_close", "a", -1);
          R.level = --d, R.markup = "linkify", R.info = "auto", f.push(R), p = h[u].lastIndex;
        }
        if (p < a.length) {
          const u = new e.Token("text", "", 0);
          u.content = a.slice(p), u.level = d, f.push(u);
        }
        o.push({ index: l, nodes: f });
      }
    }
    if (o.length > 0) {
      let l = i.length;
      for (const f of o) l += f.nodes.length - 1;
      const c = new Array(l);
      let a = 0, h = 0;
      o.reverse();
      for (let f = 0; f < i.length; f++) {
        const d = o[a];
        if (d?.index === f) {
          for (const p of d.nodes) c[h++] = p;
          a++;
        } else c[h++] = i[f];
      }
      n[r].children = c;
    }
  }
}
var RARE_RE = /\+-|\.\.|\?\?\?\?|!!!!|,,|--/;
var SCOPED_ABBR_TEST_RE = /\((c|tm|r)\)/i;
var SCOPED_ABBR_RE = /\((c|tm|r)\)/gi;
var SCOPED_ABBR = { c: "\xA9", r: "\xAE", tm: "\u2122" };
function replaceFn(e, n) {
  return SCOPED_ABBR[n.toLowerCase()];
}
function replace_scoped(e) {
  let n = 0;
  for (let r = e.length - 1; r >= 0; r--) {
    const t = e[r];
    t.type === "text" && !n && (t.content = t.content.replace(SCOPED_ABBR_RE, replaceFn)), t.type === "link_open" && t.info === "auto" && n--, t.type === "link_close" && t.info === "auto" && n++;
  }
}
function replace_rare(e) {
  let n = 0;
  for (let r = e.length - 1; r >= 0; r--) {
    const t = e[r];
    t.type === "text" && !n && RARE_RE.test(t.content) && (t.content = t.content.replace(/\+-/g, "\xB1").replace(/\.{2,}/g, "\u2026").replace(/([?!])…/g, "$1..").replace(/([?!]){4,}/g, "$1$1$1").replace(/,{2,}/g, ",").replace(/(^|[^-])---(?=[^-]|$)/gm, "$1\u2014").replace(/(^|\s)--(?=\s|$)/gm, "$1\u2013").replace(/(^|[^-\s])--(?=[^-\s]|$)/gm, "$1\u2013")), t.type === "link_open" && t.info === "auto" && n--, t.type === "link_close" && t.info === "auto" && n++;
  }
}
function replace(e) {
  let n;
  if (e.md.options.typographer) for (n = e.tokens.length - 1; n >= 0; n--) e.tokens[n].type === "inline" && (SCOPED_ABBR_TEST_RE.test(e.tokens[n].content) && replace_scoped(e.tokens[n].children), RARE_RE.test(e.tokens[n].content) && replace_rare(e.tokens[n].children));
}
var QUOTE_TEST_RE = /['"]/;
var QUOTE_RE = /['"]/g;
var APOSTROPHE = "\u2019";
var MAX_OPENERS = 1e3;
function truncateStack(e, n, r) {
  for (; e.length > r; ) {
    const t = e.pop();
    t.isSingleQuote ? n.single = t.prevSameQuoteIdx : n.double = t.prevSameQuoteIdx;
  }
}
function addReplacement(e, n, r, t) {
  e[n] || (e[n] = []), e[n].push({ pos: r, ch: t });
}
function applyReplacements(e, n) {
  let r = "", t = 0;
  n.sort((i, o) => i.pos - o.pos);
  for (let i = 0; i < n.length; i++) {
    const o = n[i];
    r += e.slice(t, o.pos) + o.ch, t = o.pos + 1;
  }
  return r + e.slice(t);
}
function process_inlines(e, n) {
  let r;
  const t = [], i = { single: -1, double: -1 }, o = {};
  for (let s = 0; s < e.length; s++) {
    const l = e[s], c = e[s].level;
    for (r = t.length - 1; r >= 0 && !(t[r].level <= c); r--) ;
    if (truncateStack(t, i, r + 1), l.type !== "text") continue;
    const a = l.content;
    let h = 0;
    const f = a.length;
    e: for (; h < f; ) {
      QUOTE_RE.lastIndex = h;
      const d = QUOTE_RE.exec(a);
      if (!d) break;
      let p = true, u = true;
      h = d.index + 1;
      const w = d[0] === "'";
      let m = 32;
      if (d.index - 1 >= 0) m = a.charCodeAt(d.index - 1);
      else for (r = s - 1; r >= 0 && !(e[r].type === "softbreak" || e[r].type === "hardbreak"); r--) if (e[r].content) {
        m = e[r].content.charCodeAt(e[r].content.length - 1);
        break;
      }
      let v = 32;
      if (h < f) v = a.charCodeAt(h);
      else for (r = s + 1; r < e.length && !(e[r].type === "softbreak" || e[r].type === "hardbreak"); r++) if (e[r].content) {
        v = e[r].content.charCodeAt(0);
        break;
      }
      const x = isMdAsciiPunct(m) || isPunctCharCode(m), b = isMdAsciiPunct(v) || isPunctCharCode(v), k = isWhiteSpace(m), R = isWhiteSpace(v);
      if (R ? p = false : b && (k || x || (p = false)), k ? u = false : x && (R || b || (u = false)), v === 34 && d[0] === '"' && m >= 48 && m <= 57 && (u = p = false), p && u && (p = x, u = b), !p && !u) {
        w && addReplacement(o, s, d.index, APOSTROPHE);
        continue;
      }
      if (u && (r = w ? i.single : i.double, r >= 0 && t[r].level === c)) {
        const g = t[r];
        let _, y;
        w ? (_ = n.md.options.quotes[2], y = n.md.options.quotes[3]) : (_ = n.md.options.quotes[0], y = n.md.options.quotes[1]), addReplacement(o, s, d.index, y), addReplacement(o, g.tokenIdx, g.contentPos, _), truncateStack(t, i, r);
        continue e;
      }
      if (p) {
        if (t.length >= MAX_OPENERS) return;
        t.push({ tokenIdx: s, contentPos: d.index, isSingleQuote: w, level: c, prevSameQuoteIdx: w ? i.single : i.double }), w ? i.single = t.length - 1 : i.double = t.length - 1;
      } else u && w && addReplacement(o, s, d.index, APOSTROPHE);
    }
  }
  Object.keys(o).forEach(function(s) {
    const l = Number(s);
    e[l].content = applyReplacements(e[l].content, o[s]);
  });
}
function smartquotes(e) {
  if (e.md.options.typographer) for (let n = e.tokens.length - 1; n >= 0; n--) e.tokens[n].type !== "inline" || !QUOTE_TEST_RE.test(e.tokens[n].content) || process_inlines(e.tokens[n].children, e);
}
function join_alt(e) {
  let n, r;
  const t = e.length;
  for (n = 0; n < t; n++) e[n].type === "text_special" && (e[n].type = "text");
  for (n = r = 0; n < t; n++) e[n].type === "text" && n + 1 < t && e[n + 1].type === "text" ? e[n + 1].content = e[n].content + e[n + 1].content : (n !== r && (e[r] = e[n]), r++);
  n !== r && (e.length = r);
}
function text_join(e) {
  let n, r;
  const t = e.tokens, i = t.length;
  for (let o = 0; o < i; o++) {
    if (t[o].type !== "inline") continue;
    const s = t[o].children, l = s.length;
    for (n = 0; n < l; n++) s[n].type === "text_special" && (s[n].type = "text"), s[n].children && join_alt(s[n].children);
    for (n = r = 0; n < l; n++) s[n].type === "text" && n + 1 < l && s[n + 1].type === "text" ? s[n + 1].content = s[n].content + s[n + 1].content : (n !== r && (s[r] = s[n]), r++);
    n !== r && (s.length = r);
  }
}
var _rules$2 = [["normalize", normalize], ["block", block], ["strip_references", strip_references], ["inline", inline], ["linkify", linkify$1], ["replacements", replace], ["smartquotes", smartquotes], ["text_join", text_join]];
var ParserCore = class {
  constructor() {
    _defineProperty(this, "ruler", new Ruler()), _defineProperty(this, "State", StateCore);
    for (let e = 0; e < _rules$2.length; e++) this.ruler.push(_rules$2[e][0], _rules$2[e][1]);
  }
  process(e) {
    const n = this.ruler.getRules("");
    for (let r = 0, t = n.length; r < t; r++) n[r](e);
  }
};
var StateBlock = class {
  constructor(e, n, r, t) {
    _defineProperty(this, "bMarks", []), _defineProperty(this, "eMarks", []), _defineProperty(this, "tShift", []), _defineProperty(this, "sCount", []), _defineProperty(this, "bsCount", []), _defineProperty(this, "blkIndent", 0), _defineProperty(this, "line", 0), _defineProperty(this, "lineMax", 0), _defineProperty(this, "tight", false), _defineProperty(this, "listIndent", -1), _defineProperty(this, "parentType", "root"), _defineProperty(this, "level", 0), _defineProperty(this, "Token", Token), this.src = e, this.md = n, this.env = r, this.tokens = t;
    const i = this.src;
    for (let o = 0, s = 0, l = 0, c = 0, a = i.length, h = false; s < a; s++) {
      const f = i.charCodeAt(s);
      if (!h) if (isSpace(f)) {
        l++, f === 9 ? c += 4 - c % 4 : c++;
        continue;
      } else h = true;
      (f === 10 || s === a - 1) && (f !== 10 && s++, this.bMarks.push(o), this.eMarks.push(s), this.tShift.push(l), this.sCount.push(c), this.bsCount.push(0), h = false, l = 0, c = 0, o = s + 1);
    }
    this.bMarks.push(i.length), this.eMarks.push(i.length), this.tShift.push(0), this.sCount.push(0), this.bsCount.push(0), this.lineMax = this.bMarks.length - 1;
  }
  push(e, n, r) {
    const t = new Token(e, n, r);
    return t.block = true, r < 0 && this.level--, t.level = this.level, r > 0 && this.level++, this.tokens.push(t), t;
  }
  isEmpty(e) {
    return this.bMarks[e] + this.tShift[e] >= this.eMarks[e];
  }
  skipEmptyLines(e) {
    for (let n = this.lineMax; e < n && !(this.bMarks[e] + this.tShift[e] < this.eMarks[e]); e++) ;
    return e;
  }
  skipSpaces(e) {
    for (let n = this.src.length; e < n && isSpace(this.src.charCodeAt(e)); e++) ;
    return e;
  }
  skipSpacesBack(e, n) {
    if (e <= n) return e;
    for (; e > n; ) if (!isSpace(this.src.charCodeAt(--e))) return e + 1;
    return e;
  }
  skipChars(e, n) {
    for (let r = this.src.length; e < r && this.src.charCodeAt(e) === n; e++) ;
    return e;
  }
  skipCharsBack(e, n, r) {
    if (e <= r) return e;
    for (; e > r; ) if (n !== this.src.charCodeAt(--e)) return e + 1;
    return e;
  }
  getLines(e, n, r, t) {
    if (e >= n) return "";
    const i = new Array(n - e);
    for (let o = 0, s = e; s < n; s++, o++) {
      let l = 0;
      const c = this.bMarks[s];
      let a = c, h;
      for (s + 1 < n || t ? h = this.eMarks[s] + 1 : h = this.eMarks[s]; a < h && l < r; ) {
        const f = this.src.charCodeAt(a);
        if (isSpace(f)) f === 9 ? l += 4 - (l + this.bsCount[s]) % 4 : l++;
        else if (a - c < this.tShift[s]) l++;
        else break;
        a++;
      }
      l > r ? i[o] = new Array(l - r + 1).join(" ") + this.src.slice(a, h) : i[o] = this.src.slice(a, h);
    }
    return i.join("");
  }
};
var MAX_AUTOCOMPLETED_CELLS = 65536;
function getLine(e, n) {
  const r = e.bMarks[n] + e.tShift[n], t = e.eMarks[n];
  return e.src.slice(r, t);
}
function escapedSplit(e) {
  const n = [], r = e.length;
  let t = 0, i = e.charCodeAt(t), o = false, s = 0, l = "";
  for (; t < r; ) i === 124 && (o ? (l += e.substring(s, t - 1), s = t) : (n.push(l + e.substring(s, t)), l = "", s = t + 1)), o = i === 92, t++, i = e.charCodeAt(t);
  return n.push(l + e.substring(s)), n;
}
function table(e, n, r, t) {
  if (n + 2 > r) return false;
  let i = n + 1;
  if (e.sCount[i] < e.blkIndent || e.sCount[i] - e.blkIndent >= 4) return false;
  let o = e.bMarks[i] + e.tShift[i];
  if (o >= e.eMarks[i]) return false;
  const s = e.src.charCodeAt(o++);
  if (s !== 124 && s !== 45 && s !== 58 || o >= e.eMarks[i]) return false;
  const l = e.src.charCodeAt(o++);
  if (l !== 124 && l !== 45 && l !== 58 && !isSpace(l) || s === 45 && isSpace(l)) return false;
  for (; o < e.eMarks[i]; ) {
    const k = e.src.charCodeAt(o);
    if (k !== 124 && k !== 45 && k !== 58 && !isSpace(k)) return false;
    o++;
  }
  let c = getLine(e, n + 1), a = c.split("|");
  const h = [];
  for (let k = 0; k < a.length; k++) {
    const R = a[k].trim();
    if (!R) {
      if (k === 0 || k === a.length - 1) continue;
      return false;
    }
    if (!/^:?-+:?$/.test(R)) return false;
    R.charCodeAt(R.length - 1) === 58 ? h.push(R.charCodeAt(0) === 58 ? "center" : "right") : R.charCodeAt(0) === 58 ? h.push("left") : h.push("");
  }
  if (c = getLine(e, n).trim(), c.indexOf("|") === -1 || e.sCount[n] - e.blkIndent >= 4) return false;
  a = escapedSplit(c), a.length && a[0] === "" && a.shift(), a.length && a[a.length - 1] === "" && a.pop();
  const f = a.length;
  if (f === 0 || f !== h.length) return false;
  if (t) return true;
  const d = e.parentType;
  e.parentType = "table";
  const p = e.md.block.ruler.getRules("blockquote"), u = e.push("table_open", "table", 1), w = [n, 0];
  u.map = w;
  const m = e.push("thead_open", "thead", 1);
  m.map = [n, n + 1];
  const v = e.push("tr_open", "tr", 1);
  v.map = [n, n + 1];
  for (let k = 0; k < a.length; k++) {
    const R = e.push("th_open", "th", 1);
    h[k] && (R.attrs = [["style", `text-align:${h[k]}`]]);
    const g = e.push("inline", "", 0);
    g.content = a[k].trim(), g.children = [], e.push("th_close", "th", -1);
  }
  e.push("tr_close", "tr", -1), e.push("thead_close", "thead", -1);
  let x, b = 0;
  for (i = n + 2; i < r && !(e.sCount[i] < e.blkIndent); i++) {
    let k = false;
    for (let g = 0, _ = p.length; g < _; g++) if (p[g](e, i, r, true)) {
      k = true;
      break;
    }
    if (k || (c = getLine(e, i).trim(), !c) || e.sCount[i] - e.blkIndent >= 4 || (a = escapedSplit(c), a.length && a[0] === "" && a.shift(), a.length && a[a.length - 1] === "" && a.pop(), b += f - a.length, b > MAX_AUTOCOMPLETED_CELLS)) break;
    if (i === n + 2) {
      const g = e.push("tbody_open", "tbody", 1);
      g.map = x = [n + 2, 0];
    }
    const R = e.push("tr_open", "tr", 1);
    R.map = [i, i + 1];
    for (let g = 0; g < f; g++) {
      const _ = e.push("td_open", "td", 1);
      h[g] && (_.attrs = [["style", `text-align:${h[g]}`]]);
      const y = e.push("inline", "", 0);
      y.content = a[g] ? a[g].trim() : "", y.children = [], e.push("td_close", "td", -1);
    }
    e.push("tr_close", "tr", -1);
  }
  return x && (e.push("tbody_close", "tbody", -1), x[1] = i), e.push("table_close", "table", -1), w[1] = i, e.parentType = d, e.line = i, true;
}
function code(e, n, r) {
  if (e.sCount[n] - e.blkIndent < 4) return false;
  let t = n + 1, i = t;
  for (; t < r; ) {
    if (e.isEmpty(t)) {
      t++;
      continue;
    }
    if (e.sCount[t] - e.blkIndent >= 4) {
      t++, i = t;
      continue;
    }
    break;
  }
  e.line = i;
  const o = e.push("code_block", "code", 0);
  return o.content = e.getLines(n, i, 4 + e.blkIndent, false) + `
`, o.map = [n, e.line], true;
}
function fence(e, n, r, t) {
  let i = e.bMarks[n] + e.tShift[n], o = e.eMarks[n];
  if (e.sCount[n] - e.blkIndent >= 4 || i + 3 > o) return false;
  const s = e.src.charCodeAt(i);
  if (s !== 126 && s !== 96) return false;
  let l = i;
  i = e.skipChars(i, s);
  let c = i - l;
  if (c < 3) return false;
  const a = e.src.slice(l, i), h = e.src.slice(i, o);
  if (s === 96 && h.indexOf(String.fromCharCode(s)) >= 0) return false;
  if (t) return true;
  let f = n, d = false;
  for (; f++, !(f >= r || (i = l = e.bMarks[f] + e.tShift[f], o = e.eMarks[f], i < o && e.sCount[f] < e.blkIndent)); ) if (e.src.charCodeAt(i) === s && !(e.sCount[f] - e.blkIndent >= 4) && (i = e.skipChars(i, s), !(i - l < c) && (i = e.skipSpaces(i), !(i < o)))) {
    d = true;
    break;
  }
  c = e.sCount[n], e.line = f + (d ? 1 : 0);
  const p = e.push("fence", "code", 0);
  return p.info = h, p.content = e.getLines(n + 1, f, c, true), p.markup = a, p.map = [n, e.line], true;
}
function blockquote(e, n, r, t) {
  let i = e.bMarks[n] + e.tShift[n], o = e.eMarks[n];
  const s = e.lineMax;
  if (e.sCount[n] - e.blkIndent >= 4 || e.src.charCodeAt(i) !== 62) return false;
  if (t) return true;
  const l = [], c = [], a = [], h = [], f = e.md.block.ruler.getRules("blockquote"), d = e.parentType;
  e.parentType = "blockquote";
  let p = false, u;
  for (u = n; u < r; u++) {
    const b = e.sCount[u] < e.blkIndent;
    if (i = e.bMarks[u] + e.tShift[u], o = e.eMarks[u], i >= o) break;
    if (e.src.charCodeAt(i++) === 62 && !b) {
      let R = e.sCount[u] + 1, g, _;
      e.src.charCodeAt(i) === 32 ? (i++, R++, _ = false, g = true) : e.src.charCodeAt(i) === 9 ? (g = true, (e.bsCount[u] + R) % 4 === 3 ? (i++, R++, _ = false) : _ = true) : g = false;
      let y = R;
      for (l.push(e.bMarks[u]), e.bMarks[u] = i; i < o; ) {
        const A = e.src.charCodeAt(i);
        if (isSpace(A)) A === 9 ? y += 4 - (y + e.bsCount[u] + (_ ? 1 : 0)) % 4 : y++;
        else break;
        i++;
      }
      p = i >= o, c.push(e.bsCount[u]), e.bsCount[u] = e.sCount[u] + 1 + (g ? 1 : 0), a.push(e.sCount[u]), e.sCount[u] = y - R, h.push(e.tShift[u]), e.tShift[u] = i - e.bMarks[u];
      continue;
    }
    if (p) break;
    let k = false;
    for (let R = 0, g = f.length; R < g; R++) if (f[R](e, u, r, true)) {
      k = true;
      break;
    }
    if (k) {
      e.lineMax = u, e.blkIndent !== 0 && (l.push(e.bMarks[u]), c.push(e.bsCount[u]), h.push(e.tShift[u]), a.push(e.sCount[u]), e.sCount[u] -= e.blkIndent);
      break;
    }
    l.push(e.bMarks[u]), c.push(e.bsCount[u]), h.push(e.tShift[u]), a.push(e.sCount[u]), e.sCount[u] = -1;
  }
  const w = e.blkIndent;
  e.blkIndent = 0;
  const m = e.push("blockquote_open", "blockquote", 1);
  m.markup = ">";
  const v = [n, 0];
  m.map = v, e.md.block.tokenize(e, n, u);
  const x = e.push("blockquote_close", "blockquote", -1);
  x.markup = ">", e.lineMax = s, e.parentType = d, v[1] = e.line;
  for (let b = 0; b < h.length; b++) e.bMarks[b + n] = l[b], e.tShift[b + n] = h[b], e.sCount[b + n] = a[b], e.bsCount[b + n] = c[b];
  return e.blkIndent = w, true;
}
function hr(e, n, r, t) {
  const i = e.eMarks[n];
  if (e.sCount[n] - e.blkIndent >= 4) return false;
  let o = e.bMarks[n] + e.tShift[n];
  const s = e.src.charCodeAt(o++);
  if (s !== 42 && s !== 45 && s !== 95) return false;
  let l = 1;
  for (; o < i; ) {
    const a = e.src.charCodeAt(o++);
    if (a !== s && !isSpace(a)) return false;
    a === s && l++;
  }
  if (l < 3) return false;
  if (t) return true;
  e.line = n + 1;
  const c = e.push("hr", "hr", 0);
  return c.map = [n, e.line], c.markup = Array(l + 1).join(String.fromCharCode(s)), true;
}
function skipBulletListMarker(e, n) {
  const r = e.eMarks[n];
  let t = e.bMarks[n] + e.tShift[n];
  const i = e.src.charCodeAt(t++);
  return i !== 42 && i !== 45 && i !== 43 || t < r && !isSpace(e.src.charCodeAt(t)) ? -1 : t;
}
function skipOrderedListMarker(e, n) {
  const r = e.bMarks[n] + e.tShift[n], t = e.eMarks[n];
  let i = r;
  if (i + 1 >= t) return -1;
  let o = e.src.charCodeAt(i++);
  if (o < 48 || o > 57) return -1;
  for (; ; ) {
    if (i >= t) return -1;
    if (o = e.src.charCodeAt(i++), o >= 48 && o <= 57) {
      if (i - r >= 10) return -1;
      continue;
    }
    if (o === 41 || o === 46) break;
    return -1;
  }
  return i < t && (o = e.src.charCodeAt(i), !isSpace(o)) ? -1 : i;
}
function markTightParagraphs(e, n) {
  const r = e.level + 2;
  for (let t = n + 2, i = e.tokens.length - 2; t < i; t++) e.tokens[t].level === r && e.tokens[t].type === "paragraph_open" && (e.tokens[t + 2].hidden = true, e.tokens[t].hidden = true, t += 2);
}
function list(e, n, r, t) {
  let i, o, s, l, c = n, a = true;
  if (e.sCount[c] - e.blkIndent >= 4 || e.listIndent >= 0 && e.sCount[c] - e.listIndent >= 4 && e.sCount[c] < e.blkIndent) return false;
  let h = false;
  t && e.parentType === "paragraph" && e.sCount[c] >= e.blkIndent && (h = true);
  let f, d, p;
  if ((p = skipOrderedListMarker(e, c)) >= 0) {
    if (f = true, s = e.bMarks[c] + e.tShift[c], d = Number(e.src.slice(s, p - 1)), h && d !== 1) return false;
  } else if ((p = skipBulletListMarker(e, c)) >= 0) f = false;
  else return false;
  if (h && e.skipSpaces(p) >= e.eMarks[c]) return false;
  if (t) return true;
  const u = e.src.charCodeAt(p - 1), w = e.tokens.length;
  f ? (l = e.push("ordered_list_open", "ol", 1), d !== 1 && (l.attrs = [["start", d]])) : l = e.push("bullet_list_open", "ul", 1);
  const m = [c, 0];
  l.map = m, l.markup = String.fromCharCode(u);
  let v = false;
  const x = e.md.block.ruler.getRules("list"), b = e.parentType;
  for (e.parentType = "list"; c < r; ) {
    o = p, i = e.eMarks[c];
    const k = e.sCount[c] + p - (e.bMarks[c] + e.tShift[c]);
    let R = k;
    for (; o < i; ) {
      const j = e.src.charCodeAt(o);
      if (j === 9) R += 4 - (R + e.bsCount[c]) % 4;
      else if (j === 32) R++;
      else break;
      o++;
    }
    const g = o;
    let _;
    g >= i ? _ = 1 : _ = R - k, _ > 4 && (_ = 1);
    const y = k + _;
    l = e.push("list_item_open", "li", 1), l.markup = String.fromCharCode(u);
    const A = [c, 0];
    l.map = A, f && (l.info = e.src.slice(s, p - 1));
    const E = e.tight, C = e.tShift[c], T = e.sCount[c], J = e.listIndent;
    if (e.listIndent = e.blkIndent, e.blkIndent = y, e.tight = true, e.tShift[c] = g - e.bMarks[c], e.sCount[c] = R, g >= i && e.isEmpty(c + 1) ? e.line = Math.min(e.line + 2, r) : e.md.block.tokenize(e, c, r), (!e.tight || v) && (a = false), v = e.line - c > 1 && e.isEmpty(e.line - 1), e.blkIndent = e.listIndent, e.listIndent = J, e.tShift[c] = C, e.sCount[c] = T, e.tight = E, l = e.push("list_item_close", "li", -1), l.markup = String.fromCharCode(u), c = e.line, A[1] = c, c >= r || e.sCount[c] < e.blkIndent || e.sCount[c] - e.blkIndent >= 4) break;
    let S = false;
    for (let j = 0, B = x.length; j < B; j++) if (x[j](e, c, r, true)) {
      S = true;
      break;
    }
    if (S) break;
    if (f) {
      if (p = skipOrderedListMarker(e, c), p < 0) break;
      s = e.bMarks[c] + e.tShift[c];
    } else if (p = skipBulletListMarker(e, c), p < 0) break;
    if (u !== e.src.charCodeAt(p - 1)) break;
  }
  return f ? l = e.push("ordered_list_close", "ol", -1) : l = e.push("bullet_list_close", "ul", -1), l.markup = String.fromCharCode(u), m[1] = c, e.line = c, e.parentType = b, a && markTightParagraphs(e, w), true;
}
var MAX_LABEL_LENGTH = 999;
function countCodePoints(e) {
  let n = e.length;
  for (let r = 0; r < e.length - 1; r++) {
    const t = e.charCodeAt(r);
    if (t < 55296 || t > 56319) continue;
    const i = e.charCodeAt(r + 1);
    i >= 56320 && i <= 57343 && (n--, r++);
  }
  return n;
}
function lineEnd(e, n) {
  return Math.min(e.eMarks[n] + 1, e.src.length);
}
function getNextLinePos(e, n) {
  const r = e.lineMax;
  if (n >= r || e.isEmpty(n)) return -1;
  let t = false;
  if (e.sCount[n] - e.blkIndent > 3 && (t = true), e.sCount[n] < 0 && (t = true), !t) {
    const i = e.md.block.ruler.getRules("reference"), o = e.parentType;
    e.parentType = "reference";
    let s = false;
    for (let l = 0, c = i.length; l < c; l++) if (i[l](e, n, r, true)) {
      s = true;
      break;
    }
    if (e.parentType = o, s) return -1;
  }
  return e.bMarks[n] + e.tShift[n];
}
function reference(e, n, r, t) {
  const i = e.src;
  let o = e.bMarks[n] + e.tShift[n], s = n + 1;
  if (e.sCount[n] - e.blkIndent >= 4 || i.charCodeAt(o) !== 91) return false;
  let l = lineEnd(e, n), c = "", a = -1, h = ++o;
  for (; o < l; ) {
    if (c.length + o - h > MAX_LABEL_LENGTH * 2) return false;
    let g = i.charCodeAt(o);
    if (g === 91) return false;
    if (g === 93) {
      a = o;
      break;
    }
    if (g === 92 && (g = i.charCodeAt(++o)), g === 10 && o < l) {
      const _ = getNextLinePos(e, s);
      if (_ < 0) return false;
      c += i.slice(h, l), o = h = _, l = lineEnd(e, s++);
      continue;
    }
    o++;
  }
  if (a < 0 || i.charCodeAt(a + 1) !== 58 || (c += i.slice(h, a), c.length > MAX_LABEL_LENGTH && countCodePoints(c) > MAX_LABEL_LENGTH)) return false;
  for (o = a + 2; o < l; ) {
    const g = i.charCodeAt(o);
    if (g === 10) {
      const _ = getNextLinePos(e, s);
      if (_ < 0) break;
      o = _, l = lineEnd(e, s++);
    } else if (isSpace(g)) o++;
    else break;
  }
  const f = e.md.helpers.parseLinkDestination(i, o, l);
  if (!f.ok) return false;
  const d = e.md.normalizeLink(f.str);
  if (!e.md.validateLink(d)) return false;
  o = f.pos;
  const p = o, u = l, w = s;
  for (; o < l; ) {
    const g = i.charCodeAt(o);
    if (g === 10) {
      const _ = getNextLinePos(e, s);
      if (_ < 0) break;
      o = _, l = lineEnd(e, s++);
    } else if (isSpace(g)) o++;
    else break;
  }
  const m = o;
  let v = e.md.helpers.parseLinkTitle(i, o, l);
  for (; v.can_continue; ) {
    const g = getNextLinePos(e, s);
    if (g < 0) break;
    o = g, l = lineEnd(e, s++), v = e.md.helpers.parseLinkTitle(i, o, l, v);
  }
  let x;
  for (m !== p && v.ok ? (x = v.str, o = v.pos) : (x = "", o = p, l = u, s = w); o < l && isSpace(i.charCodeAt(o)); ) o++;
  if (o < l && i.charCodeAt(o) !== 10 && x) for (x = "", o = p, l = u, s = w; o < l && isSpace(i.charCodeAt(o)); ) o++;
  if (o < l && i.charCodeAt(o) !== 10) return false;
  const b = normalizeReference(c);
  if (!b) return false;
  if (t) return true;
  typeof e.env.references > "u" && (e.env.references = {}), typeof e.env.references[b] > "u" && (e.env.references[b] = { title: x, href: d });
  const k = e.push("reference_definition", "", 0);
  k.map = [n, s], k.hidden = true;
  const R = /* @__PURE__ */ Object.create(null);
  return R.label = b, k.meta = R, e.line = s, true;
}
var html_blocks_default = ["address", "article", "aside", "base", "basefont", "blockquote", "body", "caption", "center", "col", "colgroup", "dd", "details", "dialog", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "frame", "frameset", "h1", "h2", "h3", "h4", "h5", "h6", "head", "header", "hr", "html", "iframe", "legend", "li", "link", "main", "menu", "menuitem", "nav", "noframes", "ol", "optgroup", "option", "p", "param", "search", "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "title", "tr", "track", "ul"];
var open_tag = `<[A-Za-z][A-Za-z0-9\\-]*(?:\\s+[a-zA-Z_:][a-zA-Z0-9:._-]*(?:\\s*=\\s*(?:[^"'=<>\`\\x00-\\x20]+|'[^']*'|"[^"]*"))?)*\\s*\\/?>`;
var close_tag = "<\\/[A-Za-z][A-Za-z0-9\\-]*\\s*>";
new RegExp(`^(?:${open_tag}|${close_tag}|<!---?>|<!--(?:[^-]|-[^-]|--[^>])*-->|<[?][\\s\\S]*?[?]>|<![A-Za-z][^>]*>|<!\\[CDATA\\[[\\s\\S]*?\\]\\]>)`);
var HTML_OPEN_CLOSE_TAG_RE = new RegExp(`^(?:${open_tag}|${close_tag})`);
var HTML_SEQUENCES = [[/^<(script|pre|style|textarea)(?=(\s|>|$))/i, /<\/(script|pre|style|textarea)>/i, true], [/^<!--/, /-->/, true], [/^<\?/, /\?>/, true], [/^<![A-Za-z]/, />/, true], [/^<!\[CDATA\[/, /\]\]>/, true], [new RegExp(`^</?(${html_blocks_default.join("|")})(?=(\\s|/?>|$))`, "i"), /^$/, true], [new RegExp(`${HTML_OPEN_CLOSE_TAG_RE.source}\\s*$`), /^$/, false]];
function html_block(e, n, r, t) {
  let i = e.bMarks[n] + e.tShift[n], o = e.eMarks[n];
  if (e.sCount[n] - e.blkIndent >= 4 || !e.md.options.html || e.src.charCodeAt(i) !== 60) return false;
  let s = e.src.slice(i, o), l = 0;
  for (; l < HTML_SEQUENCES.length && !HTML_SEQUENCES[l][0].test(s); l++) ;
  if (l === HTML_SEQUENCES.length) return false;
  if (t) return HTML_SEQUENCES[l][2];
  let c = n + 1;
  const a = HTML_SEQUENCES[l][1].test("");
  if (!HTML_SEQUENCES[l][1].test(s)) {
    for (; c < r && !(e.sCount[c] < e.blkIndent && (a || !e.isEmpty(c))); c++) if (i = e.bMarks[c] + e.tShift[c], o = e.eMarks[c], s = e.src.slice(i, o), HTML_SEQUENCES[l][1].test(s)) {
      s.length !== 0 && c++;
      break;
    }
  }
  e.line = c;
  const h = e.push("html_block", "", 0);
  return h.map = [n, c], h.content = e.getLines(n, c, e.blkIndent, true), true;
}
function heading(e, n, r, t) {
  let i = e.bMarks[n] + e.tShift[n], o = e.eMarks[n];
  if (e.sCount[n] - e.blkIndent >= 4) return false;
  let s = e.src.charCodeAt(i);
  if (s !== 35 || i >= o) return false;
  let l = 1;
  for (s = e.src.charCodeAt(++i); s === 35 && i < o && l <= 6; ) l++, s = e.src.charCodeAt(++i);
  if (l > 6 || i < o && !isSpace(s)) return false;
  if (t) return true;
  o = e.skipSpacesBack(o, i);
  const c = e.skipCharsBack(o, 35, i);
  c > i && isSpace(e.src.charCodeAt(c - 1)) && (o = c), e.line = n + 1;
  const a = e.push("heading_open", `h${l}`, 1);
  a.markup = "########".slice(0, l), a.map = [n, e.line];
  const h = e.push("inline", "", 0);
  h.content = asciiTrim(e.src.slice(i, o)), h.map = [n, e.line], h.children = [];
  const f = e.push("heading_close", `h${l}`, -1);
  return f.markup = "########".slice(0, l), true;
}
function lheading(e, n, r) {
  const t = e.md.block.ruler.getRules("paragraph");
  if (e.sCount[n] - e.blkIndent >= 4) return false;
  const i = e.parentType;
  e.parentType = "paragraph";
  let o = 0, s, l = n + 1;
  for (; l < r && !e.isEmpty(l); l++) {
    if (e.sCount[l] - e.blkIndent > 3) continue;
    if (e.sCount[l] >= e.blkIndent) {
      let p = e.bMarks[l] + e.tShift[l];
      const u = e.eMarks[l];
      if (p < u && (s = e.src.charCodeAt(p), (s === 45 || s === 61) && (p = e.skipChars(p, s), p = e.skipSpaces(p), p >= u))) {
        o = s === 61 ? 1 : 2;
        break;
      }
    }
    if (e.sCount[l] < 0) continue;
    let d = false;
    for (let p = 0, u = t.length; p < u; p++) if (t[p](e, l, r, true)) {
      d = true;
      break;
    }
    if (d) break;
  }
  if (!o) return e.parentType = i, false;
  const c = asciiTrim(e.getLines(n, l, e.blkIndent, false));
  e.line = l + 1;
  const a = e.push("heading_open", `h${o}`, 1);
  a.markup = String.fromCharCode(s), a.map = [n, e.line];
  const h = e.push("inline", "", 0);
  h.content = c, h.map = [n, e.line - 1], h.children = [];
  const f = e.push("heading_close", `h${o}`, -1);
  return f.markup = String.fromCharCode(s), e.parentType = i, true;
}
function paragraph(e, n, r) {
  const t = e.md.block.ruler.getRules("paragraph"), i = e.parentType;
  let o = n + 1;
  for (e.parentType = "paragraph"; o < r && !e.isEmpty(o); o++) {
    if (e.sCount[o] - e.blkIndent > 3 || e.sCount[o] < 0) continue;
    let a = false;
    for (let h = 0, f = t.length; h < f; h++) if (t[h](e, o, r, true)) {
      a = true;
      break;
    }
    if (a) break;
  }
  const s = asciiTrim(e.getLines(n, o, e.blkIndent, false));
  e.line = o;
  const l = e.push("paragraph_open", "p", 1);
  l.map = [n, e.line];
  const c = e.push("inline", "", 0);
  return c.content = s, c.map = [n, e.line], c.children = [], e.push("paragraph_close", "p", -1), e.parentType = i, true;
}
var _rules$1 = [["table", table, ["paragraph", "reference"]], ["code", code], ["fence", fence, ["paragraph", "reference", "blockquote", "list"]], ["blockquote", blockquote, ["paragraph", "reference", "blockquote", "list"]], ["hr", hr, ["paragraph", "reference", "blockquote", "list"]], ["list", list, ["paragraph", "reference", "blockquote"]], ["reference", reference], ["html_block", html_block, ["paragraph", "reference", "blockquote"]], ["heading", heading, ["paragraph", "reference", "blockquote"]], ["lheading", lheading], ["paragraph", paragraph]];
var ParserBlock = class {
  constructor() {
    _defineProperty(this, "ruler", new Ruler()), _defineProperty(this, "State", StateBlock);
    for (let e = 0; e < _rules$1.length; e++) this.ruler.push(_rules$1[e][0], _rules$1[e][1], { alt: (_rules$1[e][2] || []).slice() });
  }
  tokenize(e, n, r) {
    const t = this.ruler.getRules(""), i = t.length, o = e.md.options.maxNesting;
    let s = n, l = false;
    for (; s < r && (e.line = s = e.skipEmptyLines(s), !(s >= r || e.sCount[s] < e.blkIndent)); ) {
      if (e.level >= o) {
        e.line = r;
        break;
      }
      const c = e.line;
      let a = false;
      for (let h = 0; h < i; h++) if (a = t[h](e, s, r, false), a) {
        if (c >= e.line) throw new Error("block rule didn't increment state.line");
        break;
      }
      if (!a) throw new Error("none of the block rules matched");
      e.tight = !l, e.isEmpty(e.line - 1) && (l = true), s = e.line, s < r && e.isEmpty(s) && (l = true, s++, e.line = s);
    }
  }
  parse(e, n, r, t) {
    if (!e) return;
    const i = new this.State(e, n, r, t);
    this.tokenize(i, i.line, i.lineMax);
  }
};
var StateInline = class {
  constructor(e, n, r, t) {
    _defineProperty(this, "pos", 0), _defineProperty(this, "level", 0), _defineProperty(this, "pending", ""), _defineProperty(this, "pendingLevel", 0), _defineProperty(this, "cache", {}), _defineProperty(this, "backticks", {}), _defineProperty(this, "backticksScanned", false), _defineProperty(this, "skipHtmlSpecial", false), _defineProperty(this, "linkLevel", 0), _defineProperty(this, "delimiters", []), _defineProperty(this, "_prev_delimiters", []), _defineProperty(this, "Token", Token), this.src = e, this.env = r, this.md = n, this.tokens = t, this.tokens_meta = Array(t.length), this.posMax = this.src.length;
  }
  pushPending() {
    const e = new Token("text", "", 0);
    return e.content = this.pending, e.level = this.pendingLevel, this.tokens.push(e), this.pending = "", e;
  }
  push(e, n, r) {
    this.pending && this.pushPending();
    const t = new Token(e, n, r);
    let i;
    return r < 0 && (this.level--, this.delimiters = this._prev_delimiters.pop()), t.level = this.level, r > 0 && (this.level++, this._prev_delimiters.push(this.delimiters), this.delimiters = [], i = { delimiters: this.delimiters }), this.pendingLevel = this.level, this.tokens.push(t), this.tokens_meta.push(i), t;
  }
  scanDelims(e, n) {
    const r = this.posMax, t = this.src.charCodeAt(e);
    let i;
    if (e === 0) i = 32;
    else if (e === 1) i = this.src.charCodeAt(0), (i & 63488) === 55296 && (i = 65533);
    else if (i = this.src.charCodeAt(e - 1), (i & 64512) === 56320) {
      const u = this.src.charCodeAt(e - 2);
      i = (u & 64512) === 55296 ? 65536 + (u - 55296 << 10) + (i - 56320) : 65533;
    } else (i & 64512) === 55296 && (i = 65533);
    let o = e;
    for (; o < r && this.src.charCodeAt(o) === t; ) o++;
    const s = o - e;
    let l = o < r ? this.src.charCodeAt(o) : 32;
    if ((l & 64512) === 55296) {
      const u = this.src.charCodeAt(o + 1);
      l = (u & 64512) === 56320 ? 65536 + (l - 55296 << 10) + (u - 56320) : 65533;
    } else (l & 64512) === 56320 && (l = 65533);
    const c = isMdAsciiPunct(i) || isPunctCharCode(i), a = isMdAsciiPunct(l) || isPunctCharCode(l), h = isWhiteSpace(i), f = isWhiteSpace(l), d = !f && (!a || h || c), p = !h && (!c || f || a);
    return { can_open: d && (n || !p || c), can_close: p && (n || !d || a), length: s };
  }
};
function isTerminatorChar(e) {
  switch (e) {
    case 10:
    case 33:
    case 35:
    case 36:
    case 37:
    case 38:
    case 42:
    case 43:
    case 45:
    case 58:
    case 60:
    case 61:
    case 62:
    case 64:
    case 91:
    case 92:
    case 93:
    case 94:
    case 95:
    case 96:
    case 123:
    case 125:
    case 126:
      return true;
    default:
      return false;
  }
}
function text(e, n) {
  let r = e.pos;
  for (; r < e.posMax && !isTerminatorChar(e.src.charCodeAt(r)); ) r++;
  return r === e.pos ? false : (n || (e.pending += e.src.slice(e.pos, r)), e.pos = r, true);
}
function isAsciiAlpha(e) {
  return e >= 65 && e <= 90 || e >= 97 && e <= 122;
}
function isSchemeChar(e) {
  return e >= 65 && e <= 90 || e >= 97 && e <= 122 || e >= 48 && e <= 57 || e === 43 || e === 45 || e === 46;
}
function linkify(e, n) {
  if (!e.md.options.linkify || e.linkLevel > 0) return false;
  const r = e.pos, t = e.posMax;
  if (r + 3 > t || e.src.charCodeAt(r) !== 58 || e.src.charCodeAt(r + 1) !== 47 || e.src.charCodeAt(r + 2) !== 47) return false;
  const i = r - Math.min(10, e.pending.length, r);
  let o = r;
  for (; o > i && isSchemeChar(e.src.charCodeAt(o - 1)); ) o--;
  if (o === r || !isAsciiAlpha(e.src.charCodeAt(o))) return false;
  const s = r - o, l = e.md.linkify.matchAtStart(e.src.slice(o));
  if (!l) return false;
  let c = l.url;
  if (c.length <= s) return false;
  let a = c.length;
  for (; a > 0 && c.charCodeAt(a - 1) === 42; ) a--;
  a !== c.length && (c = c.slice(0, a));
  const h = e.md.normalizeLink(c);
  if (!e.md.validateLink(h)) return false;
  if (!n) {
    e.pending = e.pending.slice(0, -s);
    const f = e.push("link_open", "a", 1);
    f.attrs = [["href", h]], f.markup = "linkify", f.info = "auto";
    const d = e.push("text", "", 0);
    d.content = e.md.normalizeLinkText(c);
    const p = e.push("link_close", "a", -1);
    p.markup = "linkify", p.info = "auto";
  }
  return e.pos += c.length - s, true;
}
function newline(e, n) {
  let r = e.pos;
  if (e.src.charCodeAt(r) !== 10) return false;
  const t = e.pending.length - 1, i = e.posMax;
  if (!n) if (t >= 0 && e.pending.charCodeAt(t) === 32) if (t >= 1 && e.pending.charCodeAt(t - 1) === 32) {
    let o = t - 1;
    for (; o >= 1 && e.pending.charCodeAt(o - 1) === 32; ) o--;
    e.pending = e.pending.slice(0, o), e.push("hardbreak", "br", 0);
  } else e.pending = e.pending.slice(0, -1), e.push("softbreak", "br", 0);
  else e.push("softbreak", "br", 0);
  for (r++; r < i && isSpace(e.src.charCodeAt(r)); ) r++;
  return e.pos = r, true;
}
var ESCAPED = [];
for (let e = 0; e < 256; e++) ESCAPED.push(0);
"\\!\"#$%&'()*+,./:;<=>?@[]^_`{|}~-".split("").forEach(function(e) {
  ESCAPED[e.charCodeAt(0)] = 1;
});
function escape(e, n) {
  let r = e.pos;
  const t = e.posMax;
  if (e.src.charCodeAt(r) !== 92 || (r++, r >= t)) return false;
  let i = e.src.charCodeAt(r);
  if (i === 10) {
    for (n || e.push("hardbreak", "br", 0), r++; r < t && (i = e.src.charCodeAt(r), !!isSpace(i)); ) r++;
    return e.pos = r, true;
  }
  if (i === 32) {
    if (!n) {
      const l = e.push("text_special", "", 0);
      l.content = "\\", l.markup = "\\", l.info = "escape";
    }
    return e.pos = r, true;
  }
  let o = e.src[r];
  if (i >= 55296 && i <= 56319 && r + 1 < t) {
    const l = e.src.charCodeAt(r + 1);
    l >= 56320 && l <= 57343 && (o += e.src[r + 1], r++);
  }
  const s = "\\" + o;
  if (!n) {
    const l = e.push("text_special", "", 0);
    i < 256 && ESCAPED[i] !== 0 ? l.content = o : l.content = s, l.markup = s, l.info = "escape";
  }
  return e.pos = r + 1, true;
}
function buildLastRuns(e) {
  const n = {};
  let r = 0;
  for (; (r = e.indexOf("`", r)) !== -1; ) {
    const t = r;
    for (; e.charCodeAt(++r) === 96; ) ;
    n[r - t] = t;
  }
  return n;
}
function backtick(e, n) {
  var r;
  const t = e.pos;
  if (e.src.charCodeAt(t) !== 96) return false;
  const i = e.posMax;
  let o = t + 1;
  for (; o < i && e.src.charCodeAt(o) === 96; ) o++;
  const s = e.src.slice(t, o), l = s.length;
  if (e.backticksScanned || (e.backticks = buildLastRuns(e.src), e.backticksScanned = true), ((r = e.backticks[l]) !== null && r !== void 0 ? r : -1) >= o) {
    let c = o, a;
    for (; (a = e.src.indexOf("`", c)) !== -1 && a < i; ) {
      for (c = a + 1; e.src.charCodeAt(c) === 96; ) c++;
      if (c > i) break;
      if (c - a === l) {
        if (!n) {
          const h = e.push("code_inline", "code", 0);
          h.markup = s;
          let f = e.src.slice(o, a).replace(/\n/g, " ");
          f.startsWith(" ") && f.endsWith(" ") && /[^ ]/.test(f) && (f = f.slice(1, -1)), h.content = f;
        }
        return e.pos = c, true;
      }
    }
  }
  return n || (e.pending += s), e.pos = o, true;
}
function strikethrough_tokenize(e, n) {
  const r = e.pos, t = e.src.charCodeAt(r);
  if (n || t !== 126) return false;
  const i = e.scanDelims(e.pos, true);
  let o = i.length;
  const s = String.fromCharCode(t);
  if (o < 2) return false;
  let l;
  o % 2 && (l = e.push("text", "", 0), l.content = s, o--);
  for (let c = 0; c < o; c += 2) l = e.push("text", "", 0), l.content = s + s, e.delimiters.push({ marker: t, length: 0, token: e.tokens.length - 1, end: -1, open: i.can_open, close: i.can_close });
  return e.pos += i.length, true;
}
function postProcess$1(e, n) {
  let r;
  const t = [], i = n.length;
  for (let o = 0; o < i; o++) {
    const s = n[o];
    if (s.marker !== 126 || s.end === -1) continue;
    const l = n[s.end];
    r = e.tokens[s.token], r.type = "s_open", r.tag = "s", r.nesting = 1, r.markup = "~~", r.content = "", r = e.tokens[l.token], r.type = "s_close", r.tag = "s", r.nesting = -1, r.markup = "~~", r.content = "", e.tokens[l.token - 1].type === "text" && e.tokens[l.token - 1].content === "~" && t.push(l.token - 1);
  }
  for (; t.length; ) {
    const o = t.pop();
    let s = o + 1;
    for (; s < e.tokens.length && e.tokens[s].type === "s_close"; ) s++;
    s--, o !== s && (r = e.tokens[s], e.tokens[s] = e.tokens[o], e.tokens[o] = r);
  }
}
function strikethrough_postProcess(e) {
  const n = e.tokens_meta, r = e.tokens_meta.length;
  postProcess$1(e, e.delimiters);
  for (let i = 0; i < r; i++) {
    var t;
    const o = (t = n[i]) === null || t === void 0 ? void 0 : t.delimiters;
    o && postProcess$1(e, o);
  }
}
var strikethrough_default = { tokenize: strikethrough_tokenize, postProcess: strikethrough_postProcess };
function emphasis_tokenize(e, n) {
  const r = e.pos, t = e.src.charCodeAt(r);
  if (n || t !== 95 && t !== 42) return false;
  const i = e.scanDelims(e.pos, t === 42);
  for (let o = 0; o < i.length; o++) {
    const s = e.push("text", "", 0);
    s.content = String.fromCharCode(t), e.delimiters.push({ marker: t, length: i.length, token: e.tokens.length - 1, end: -1, open: i.can_open, close: i.can_close });
  }
  return e.pos += i.length, true;
}
function postProcess(e, n) {
  const r = n.length;
  for (let t = r - 1; t >= 0; t--) {
    const i = n[t];
    if (i.marker !== 95 && i.marker !== 42 || i.end === -1) continue;
    const o = n[i.end], s = t > 0 && n[t - 1].end === i.end + 1 && n[t - 1].marker === i.marker && n[t - 1].token === i.token - 1 && n[i.end + 1].token === o.token + 1, l = String.fromCharCode(i.marker), c = e.tokens[i.token];
    c.type = s ? "strong_open" : "em_open", c.tag = s ? "strong" : "em", c.nesting = 1, c.markup = s ? l + l : l, c.content = "";
    const a = e.tokens[o.token];
    a.type = s ? "strong_close" : "em_close", a.tag = s ? "strong" : "em", a.nesting = -1, a.markup = s ? l + l : l, a.content = "", s && (e.tokens[n[t - 1].token].content = "", e.tokens[n[i.end + 1].token].content = "", t--);
  }
}
function emphasis_post_process(e) {
  const n = e.tokens_meta, r = e.tokens_meta.length;
  postProcess(e, e.delimiters);
  for (let i = 0; i < r; i++) {
    var t;
    const o = (t = n[i]) === null || t === void 0 ? void 0 : t.delimiters;
    o && postProcess(e, o);
  }
}
var emphasis_default = { tokenize: emphasis_tokenize, postProcess: emphasis_post_process };
function link(e, n) {
  let r, t, i, o, s = "", l = "", c = e.pos, a = true;
  if (e.src.charCodeAt(e.pos) !== 91) return false;
  const h = e.pos, f = e.posMax, d = e.pos + 1, p = e.md.helpers.parseLinkLabel(e, e.pos, true);
  if (p < 0) return false;
  let u = p + 1;
  if (u < f && e.src.charCodeAt(u) === 40) {
    for (a = false, u++; u < f && (r = e.src.charCodeAt(u), !(!isSpace(r) && r !== 10)); u++) ;
    if (u >= f) return false;
    if (c = u, i = e.md.helpers.parseLinkDestination(e.src, u, e.posMax), i.ok) {
      for (s = e.md.normalizeLink(i.str), e.md.validateLink(s) ? u = i.pos : s = "", c = u; u < f && (r = e.src.charCodeAt(u), !(!isSpace(r) && r !== 10)); u++) ;
      if (i = e.md.helpers.parseLinkTitle(e.src, u, e.posMax), u < f && c !== u && i.ok) for (l = i.str, u = i.pos; u < f && (r = e.src.charCodeAt(u), !(!isSpace(r) && r !== 10)); u++) ;
    }
    (u >= f || e.src.charCodeAt(u) !== 41) && (a = true), u++;
  }
  if (a) {
    if (typeof e.env.references > "u") return false;
    if (u < f && e.src.charCodeAt(u) === 91 ? (c = u + 1, u = e.md.helpers.parseLinkLabel(e, u), u >= 0 ? t = e.src.slice(c, u++) : u = p + 1) : u = p + 1, t || (t = e.src.slice(d, p)), t = normalizeReference(t), o = e.env.references[t], !o) return e.pos = h, false;
    s = o.href, l = o.title;
  }
  if (!n) {
    e.pos = d, e.posMax = p;
    const w = e.push("link_open", "a", 1), m = [["href", s]];
    if (w.attrs = m, l && m.push(["title", l]), t) {
      const v = /* @__PURE__ */ Object.create(null);
      v.label = t, w.meta = v;
    }
    e.linkLevel++, e.md.inline.tokenize(e), e.linkLevel--, e.push("link_close", "a", -1);
  }
  return e.pos = u, e.posMax = f, true;
}
function image(e, n) {
  let r, t, i, o, s, l, c, a, h = "";
  const f = e.pos, d = e.posMax;
  if (e.src.charCodeAt(e.pos) !== 33 || e.src.charCodeAt(e.pos + 1) !== 91) return false;
  const p = e.pos + 2, u = e.md.helpers.parseLinkLabel(e, e.pos + 1, false);
  if (u < 0) return false;
  if (o = u + 1, o < d && e.src.charCodeAt(o) === 40) {
    for (o++; o < d && (r = e.src.charCodeAt(o), !(!isSpace(r) && r !== 10)); o++) ;
    if (o >= d) return false;
    for (a = o, l = e.md.helpers.parseLinkDestination(e.src, o, e.posMax), l.ok && (h = e.md.normalizeLink(l.str), e.md.validateLink(h) ? o = l.pos : h = ""), a = o; o < d && (r = e.src.charCodeAt(o), !(!isSpace(r) && r !== 10)); o++) ;
    if (l = e.md.helpers.parseLinkTitle(e.src, o, e.posMax), o < d && a !== o && l.ok) for (c = l.str, o = l.pos; o < d && (r = e.src.charCodeAt(o), !(!isSpace(r) && r !== 10)); o++) ;
    else c = "";
    if (o >= d || e.src.charCodeAt(o) !== 41) return e.pos = f, false;
    o++;
  } else {
    if (typeof e.env.references > "u") return false;
    if (o < d && e.src.charCodeAt(o) === 91 ? (a = o + 1, o = e.md.helpers.parseLinkLabel(e, o), o >= 0 ? i = e.src.slice(a, o++) : o = u + 1) : o = u + 1, i || (i = e.src.slice(p, u)), i = normalizeReference(i), s = e.env.references[i], !s) return e.pos = f, false;
    h = s.href, c = s.title;
  }
  if (!n) {
    t = e.src.slice(p, u);
    const w = [];
    e.md.inline.parse(t, e.md, e.env, w);
    const m = e.push("image", "img", 0), v = [["src", h], ["alt", ""]];
    if (m.attrs = v, m.children = w, m.content = t, c && v.push(["title", c]), i) {
      const x = /* @__PURE__ */ Object.create(null);
      x.label = i, m.meta = x;
    }
  }
  return e.pos = o, e.posMax = d, true;
}
var EMAIL_RE = /^([a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*)$/;
var AUTOLINK_RE = /^([a-zA-Z][a-zA-Z0-9+.-]{1,31}):([^<>\x00-\x20]*)$/;
function autolink(e, n) {
  let r = e.pos;
  if (e.src.charCodeAt(r) !== 60) return false;
  const t = e.pos, i = e.posMax;
  for (; ; ) {
    if (++r >= i) return false;
    const s = e.src.charCodeAt(r);
    if (s === 60) return false;
    if (s === 62) break;
  }
  const o = e.src.slice(t + 1, r);
  if (AUTOLINK_RE.test(o)) {
    const s = e.md.normalizeLink(o);
    if (!e.md.validateLink(s)) return false;
    if (!n) {
      const l = e.push("link_open", "a", 1);
      l.attrs = [["href", s]], l.markup = "autolink", l.info = "auto";
      const c = e.push("text", "", 0);
      c.content = e.md.normalizeLinkText(o);
      const a = e.push("link_close", "a", -1);
      a.markup = "autolink", a.info = "auto";
    }
    return e.pos += o.length + 2, true;
  }
  if (EMAIL_RE.test(o)) {
    const s = e.md.normalizeLink(`mailto:${o}`);
    if (!e.md.validateLink(s)) return false;
    if (!n) {
      const l = e.push("link_open", "a", 1);
      l.attrs = [["href", s]], l.markup = "autolink", l.info = "auto";
      const c = e.push("text", "", 0);
      c.content = e.md.normalizeLinkText(o);
      const a = e.push("link_close", "a", -1);
      a.markup = "autolink", a.info = "auto";
    }
    return e.pos += o.length + 2, true;
  }
  return false;
}
function isLinkOpen(e) {
  return /^<a[>\s]/i.test(e);
}
function isLinkClose(e) {
  return /^<\/a\s*>/i.test(e);
}
function isLetter(e) {
  const n = e | 32;
  return n >= 97 && n <= 122;
}
function scanSpecial(e, n) {
  const r = e.src;
  let t, i;
  if (r.startsWith("<!--", n)) {
    if (r.startsWith(">", n + 4)) return n + 5;
    if (r.startsWith("->", n + 4)) return n + 6;
    t = n + 4, i = "-->";
  } else if (r.startsWith("<![CDATA[", n)) t = n + 9, i = "]]>";
  else if (r.charCodeAt(n + 1) === 63) t = n + 2, i = "?>";
  else if (isLetter(r.charCodeAt(n + 2))) t = n + 3, i = ">";
  else return -1;
  if (e.skipHtmlSpecial) return -1;
  const o = r.indexOf(i, t);
  return o < 0 ? (e.skipHtmlSpecial = true, -1) : o + i.length;
}
function html_inline(e, n) {
  if (!e.md.options.html) return false;
  const r = e.posMax, t = e.pos;
  if (e.src.charCodeAt(t) !== 60 || t + 2 >= r) return false;
  let i;
  const o = e.src.charCodeAt(t + 1);
  if (o === 33 || o === 63) i = scanSpecial(e, t);
  else if (o === 47 || isLetter(o)) {
    const s = e.src.slice(t).match(HTML_OPEN_CLOSE_TAG_RE);
    i = s ? t + s[0].length : -1;
  } else return false;
  if (i < 0) return false;
  if (!n) {
    const s = e.push("html_inline", "", 0);
    s.content = e.src.slice(t, i), isLinkOpen(s.content) && e.linkLevel++, isLinkClose(s.content) && e.linkLevel--;
  }
  return e.pos = i, true;
}
var DIGITAL_RE = /^&#((?:x[a-f0-9]{1,6}|[0-9]{1,7}));/i;
var NAMED_RE = /^&([a-z][a-z0-9]{1,31});/i;
function entity(e, n) {
  const r = e.pos, t = e.posMax;
  if (e.src.charCodeAt(r) !== 38 || r + 1 >= t) return false;
  if (e.src.charCodeAt(r + 1) === 35) {
    const i = e.src.slice(r).match(DIGITAL_RE);
    if (i) {
      if (!n) {
        const o = i[1][0].toLowerCase() === "x" ? parseInt(i[1].slice(1), 16) : parseInt(i[1], 10), s = e.push("text_special", "", 0);
        s.content = isValidEntityCode(o) ? fromCodePoint(o) : fromCodePoint(65533), s.markup = i[0], s.info = "entity";
      }
      return e.pos += i[0].length, true;
    }
  } else {
    const i = e.src.slice(r).match(NAMED_RE);
    if (i) {
      const o = decodeHTMLStrict(i[0]);
      if (o !== i[0]) {
        if (!n) {
          const s = e.push("text_special", "", 0);
          s.content = o, s.markup = i[0], s.info = "entity";
        }
        return e.pos += i[0].length, true;
      }
    }
  }
  return false;
}
function processDelimiters(e) {
  const n = {}, r = e.length;
  if (!r) return;
  let t = 0, i = -2;
  const o = [];
  for (let s = 0; s < r; s++) {
    const l = e[s];
    if (o.push(0), (e[t].marker !== l.marker || i !== l.token - 1) && (t = s), i = l.token, l.length = l.length || 0, !l.close) continue;
    n.hasOwnProperty(l.marker) || (n[l.marker] = [-1, -1, -1, -1, -1, -1]);
    const c = n[l.marker][(l.open ? 3 : 0) + l.length % 3];
    let a = t - o[t] - 1, h = a;
    for (; a > c; a -= o[a] + 1) {
      const f = e[a];
      if (f.marker === l.marker && f.open && f.end < 0) {
        let d = false;
        if ((f.close || l.open) && (f.length + l.length) % 3 === 0 && (f.length % 3 !== 0 || l.length % 3 !== 0) && (d = true), !d) {
          const p = a > 0 && !e[a - 1].open ? o[a - 1] + 1 : 0;
          o[s] = s - a + p, o[a] = p, l.open = false, f.end = s, f.close = false, h = -1, i = -2;
          break;
        }
      }
    }
    h !== -1 && (n[l.marker][(l.open ? 3 : 0) + (l.length || 0) % 3] = h);
  }
}
function link_pairs(e) {
  const n = e.tokens_meta, r = e.tokens_meta.length;
  processDelimiters(e.delimiters);
  for (let i = 0; i < r; i++) {
    var t;
    const o = (t = n[i]) === null || t === void 0 ? void 0 : t.delimiters;
    o && processDelimiters(o);
  }
}
function fragments_join(e) {
  let n, r, t = 0;
  const i = e.tokens, o = e.tokens.length;
  for (n = r = 0; n < o; n++) i[n].nesting < 0 && t--, i[n].level = t, i[n].nesting > 0 && t++, i[n].type === "text" && n + 1 < o && i[n + 1].type === "text" ? i[n + 1].content = i[n].content + i[n + 1].content : (n !== r && (i[r] = i[n]), r++);
  n !== r && (i.length = r);
}
var _rules = [["text", text], ["linkify", linkify], ["newline", newline], ["escape", escape], ["backticks", backtick], ["strikethrough", strikethrough_default.tokenize], ["emphasis", emphasis_default.tokenize], ["link", link], ["image", image], ["autolink", autolink], ["html_inline", html_inline], ["entity", entity]];
var _rules2 = [["balance_pairs", link_pairs], ["strikethrough", strikethrough_default.postProcess], ["emphasis", emphasis_default.postProcess], ["fragments_join", fragments_join]];
var ParserInline = class {
  constructor() {
    _defineProperty(this, "ruler", new Ruler()), _defineProperty(this, "ruler2", new Ruler()), _defineProperty(this, "State", StateInline);
    for (let e = 0; e < _rules.length; e++) this.ruler.push(_rules[e][0], _rules[e][1]);
    for (let e = 0; e < _rules2.length; e++) this.ruler2.push(_rules2[e][0], _rules2[e][1]);
  }
  skipToken(e) {
    const n = e.pos, r = this.ruler.getRules(""), t = r.length, i = e.md.options.maxNesting, o = e.cache;
    if (typeof o[n] < "u") {
      e.pos = o[n];
      return;
    }
    let s = false;
    if (e.level < i) {
      for (let l = 0; l < t; l++) if (e.level++, s = r[l](e, true), e.level--, s) {
        if (n >= e.pos) throw new Error("inline rule didn't increment state.pos");
        break;
      }
    } else e.pos = e.posMax;
    s || e.pos++, o[n] = e.pos;
  }
  tokenize(e) {
    const n = this.ruler.getRules(""), r = n.length, t = e.posMax, i = e.md.options.maxNesting;
    for (; e.pos < t; ) {
      const o = e.pos;
      let s = false;
      if (e.level < i) {
        for (let l = 0; l < r; l++) if (s = n[l](e, false), s) {
          if (o >= e.pos) throw new Error("inline rule didn't increment state.pos");
          break;
        }
      }
      if (s) {
        if (e.pos >= t) break;
        continue;
      }
      e.pending += e.src[e.pos++];
    }
    e.pending && e.pushPending();
  }
  parse(e, n, r, t) {
    const i = new this.State(e, n, r, t);
    this.tokenize(i);
    const o = this.ruler2.getRules(""), s = o.length;
    for (let l = 0; l < s; l++) o[l](i);
  }
};
var default_default = { options: { html: false, xhtmlOut: false, breaks: false, langPrefix: "language-", linkify: false, typographer: false, quotes: "\u201C\u201D\u2018\u2019", highlight: null, maxNesting: 100 }, components: { core: {}, block: {}, inline: {} } };
var zero_default = { options: { html: false, xhtmlOut: false, breaks: false, langPrefix: "language-", linkify: false, typographer: false, quotes: "\u201C\u201D\u2018\u2019", highlight: null, maxNesting: 20 }, components: { core: { rules: ["normalize", "block", "strip_references", "inline", "text_join"] }, block: { rules: ["paragraph"] }, inline: { rules: ["text"], rules2: ["balance_pairs", "fragments_join"] } } };
var commonmark_default = { options: { html: true, xhtmlOut: true, breaks: false, langPrefix: "language-", linkify: false, typographer: false, quotes: "\u201C\u201D\u2018\u2019", highlight: null, maxNesting: 20 }, components: { core: { rules: ["normalize", "block", "strip_references", "inline", "text_join"] }, block: { rules: ["blockquote", "code", "fence", "heading", "hr", "html_block", "lheading", "list", "reference", "paragraph"] }, inline: { rules: ["autolink", "backticks", "emphasis", "entity", "escape", "html_inline", "image", "link", "newline", "text"], rules2: ["balance_pairs", "emphasis", "fragments_join"] } } };
function ownKeys(e, n) {
  var r = Object.keys(e);
  if (Object.getOwnPropertySymbols) {
    var t = Object.getOwnPropertySymbols(e);
    n && (t = t.filter(function(i) {
      return Object.getOwnPropertyDescriptor(e, i).enumerable;
    })), r.push.apply(r, t);
  }
  return r;
}
function _objectSpread2(e) {
  for (var n = 1; n < arguments.length; n++) {
    var r = arguments[n] != null ? arguments[n] : {};
    n % 2 ? ownKeys(Object(r), true).forEach(function(t) {
      _defineProperty(e, t, r[t]);
    }) : Object.getOwnPropertyDescriptors ? Object.defineProperties(e, Object.getOwnPropertyDescriptors(r)) : ownKeys(Object(r)).forEach(function(t) {
      Object.defineProperty(e, t, Object.getOwnPropertyDescriptor(r, t));
    });
  }
  return e;
}
var config = { default: default_default, zero: zero_default, commonmark: commonmark_default };
var BAD_PROTO_RE = /^(vbscript|javascript|file|data):/;
var GOOD_DATA_RE = /^data:image\/(gif|png|jpeg|webp);/;
var RECODE_HOSTNAME_FOR = ["http:", "https:", "mailto:"];
var MarkdownIt = class {
  validateLink(e) {
    const n = e.trim().toLowerCase();
    return BAD_PROTO_RE.test(n) ? GOOD_DATA_RE.test(n) : true;
  }
  normalizeLink(e) {
    const n = mdurl.parse(e, true);
    if (n.hostname && (!n.protocol || RECODE_HOSTNAME_FOR.indexOf(n.protocol) >= 0)) try {
      n.hostname = punycode_js.default.toASCII(n.hostname);
    } catch {
    }
    return n.auth && (n.auth = mdurl.encode(n.auth)), n.hostname && (n.hostname = mdurl.encode(n.hostname)), n.pathname && (n.pathname = mdurl.encode(n.pathname)), n.search && (n.search = mdurl.encode(n.search)), n.hash && (n.hash = mdurl.encode(n.hash)), mdurl.format(n);
  }
  normalizeLinkText(e) {
    const n = mdurl.parse(e, true);
    if (n.hostname && (!n.protocol || RECODE_HOSTNAME_FOR.indexOf(n.protocol) >= 0)) try {
      n.hostname = punycode_js.default.toUnicode(n.hostname);
    } catch {
    }
    return mdurl.decode(mdurl.format(n), mdurl.decode.defaultChars + "%");
  }
  constructor(...e) {
    _defineProperty(this, "inline", new ParserInline()), _defineProperty(this, "block", new ParserBlock()), _defineProperty(this, "core", new ParserCore()), _defineProperty(this, "renderer", new Renderer()), _defineProperty(this, "linkify", new linkify_it.LinkifyIt()), _defineProperty(this, "utils", utils_exports), _defineProperty(this, "helpers", Object.assign({}, helpers_exports));
    const [n, r] = e;
    typeof n == "string" ? (this.configure(n), r && this.set(r)) : (this.configure("default"), this.set(n || {}));
  }
  set(e) {
    return Object.assign(this.options, e), this;
  }
  configure(e) {
    let n;
    if (typeof e == "string") {
      const i = e;
      if (n = config[i], !n) throw new Error(`Wrong 'markdown-it' preset "${i}", check name`);
    } else n = e;
    if (!n) throw new Error("Wrong `markdown-it` preset, can't be empty");
    n.options && (this.options = _objectSpread2({}, n.options));
    const r = n.components;
    if (r) {
      var t;
      ["core", "block", "inline"].forEach((o) => {
        var s;
        const l = (s = r[o]) === null || s === void 0 ? void 0 : s.rules;
        l && this[o].ruler.enableOnly(l);
      });
      const i = (t = r.inline) === null || t === void 0 ? void 0 : t.rules2;
      i && this.inline.ruler2.enableOnly(i);
    }
    return this;
  }
  enable(e, n = false) {
    let r = [];
    Array.isArray(e) || (e = [e]), ["core", "block", "inline"].forEach((i) => {
      r = r.concat(this[i].ruler.enable(e, true));
    }), r = r.concat(this.inline.ruler2.enable(e, true));
    const t = e.filter((i) => r.indexOf(i) < 0);
    if (t.length && !n) throw new Error(`MarkdownIt. Failed to enable unknown rule(s): ${t}`);
    return this;
  }
  disable(e, n = false) {
    let r = [];
    Array.isArray(e) || (e = [e]), ["core", "block", "inline"].forEach((i) => {
      r = r.concat(this[i].ruler.disable(e, true));
    }), r = r.concat(this.inline.ruler2.disable(e, true));
    const t = e.filter((i) => r.indexOf(i) < 0);
    if (t.length && !n) throw new Error(`MarkdownIt. Failed to disable unknown rule(s): ${t}`);
    return this;
  }
  use(e, ...n) {
    return e.apply(e, [this, ...n]), this;
  }
  parse(e, n) {
    if (typeof e != "string") throw new Error("Input data should be a String");
    const r = new this.core.State(e, this, n);
    return this.core.process(r), r.tokens;
  }
  render(e, n = {}) {
    return this.renderer.render(this.parse(e, n), this.options, n);
  }
  parseInline(e, n) {
    const r = new this.core.State(e, this, n);
    return r.inlineMode = true, this.core.process(r), r.tokens;
  }
  renderInline(e, n = {}) {
    return this.renderer.render(this.parseInline(e, n), this.options, n);
  }
};
_defineProperty(MarkdownIt, "Token", Token), _defineProperty(MarkdownIt, "Ruler", Ruler), _defineProperty(MarkdownIt, "Renderer", Renderer), _defineProperty(MarkdownIt, "ParserCore", ParserCore), _defineProperty(MarkdownIt, "StateCore", StateCore), _defineProperty(MarkdownIt, "ParserBlock", ParserBlock), _defineProperty(MarkdownIt, "StateBlock", StateBlock), _defineProperty(MarkdownIt, "ParserInline", ParserInline), _defineProperty(MarkdownIt, "StateInline", StateInline);
var MarkdownItCallable = callable(MarkdownIt);
module.exports = MarkdownItCallable;
