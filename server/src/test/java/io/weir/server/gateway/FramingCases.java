package io.weir.server.gateway;

import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;

/** Named requests, byte by byte, for which two servers might find different ends. */
public final class FramingCases {
  /** The request that is hidden behind each. */
  static final String HIDDEN = "GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n";

  private FramingCases() {}

  static Arguments post(String name, String headers, String body) {
    return Arguments.of(
        name, "POST /outer HTTP/1.1\r\nHost: a\r\n" + headers + "\r\n\r\n" + body + HIDDEN);
  }

  private static Arguments get(String name, String head) {
    return Arguments.of(name, head + "\r\n" + HIDDEN);
  }

  /** Those whose head is refused. */
  public static Stream<Arguments> heads() {
    return Stream.of(
        post("CL.TE", "Content-Length: 30\r\nTransfer-Encoding: chunked", "0\r\n\r\n"),
        post("TE.CL", "Transfer-Encoding: chunked\r\nContent-Length: 4", "5c\r\n"),
        post(
            "CL.TE with a length of nothing",
            "Content-Length: 0\r\nTransfer-Encoding: chunked",
            ""),
        post("TE.TE", "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity", "0\r\n\r\n"),
        post(
            "TE.TE the other way",
            "Transfer-Encoding: x\r\nTransfer-Encoding: chunked",
            "0\r\n\r\n"),
        post("TE twice", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", "0\r\n\r\n"),
        post("TE list", "Transfer-Encoding: chunked, chunked", "0\r\n\r\n"),
        post("TE not at the end", "Transfer-Encoding: chunked, identity", "0\r\n\r\n"),
        post("TE of two", "Transfer-Encoding: gzip, chunked", "0\r\n\r\n"),
        post("TE identity", "Transfer-Encoding: identity", ""),
        post("TE unknown", "Transfer-Encoding: xchunked", "0\r\n\r\n"),
        post("TE quoted", "Transfer-Encoding: \"chunked\"", "0\r\n\r\n"),
        post("TE empty", "Transfer-Encoding:", ""),
        post("TE with a comma", "Transfer-Encoding: chunked,", "0\r\n\r\n"),
        post("TE with a parameter", "Transfer-Encoding: chunked;q=1", "0\r\n\r\n"),
        post("TE with a vertical tab", "Transfer-Encoding: \u000bchunked", "0\r\n\r\n"),
        post("TE with a control", "Transfer-Encoding: chunked\u0001", "0\r\n\r\n"),
        post("TE with a no-break space", "Transfer-Encoding: chunked\u00a0", "0\r\n\r\n"),
        post("TE before a blank", "Transfer-Encoding : chunked", "0\r\n\r\n"),
        post("TE after a blank", " Transfer-Encoding: chunked", "0\r\n\r\n"),
        post("TE folded", "Transfer-Encoding:\r\n chunked", "0\r\n\r\n"),
        post("TE in a line of its own", "X: y\nTransfer-Encoding: chunked", "0\r\n\r\n"),
        post("TE after a return", "X: y\rTransfer-Encoding: chunked", "0\r\n\r\n"),
        post("TE with an underscore", "Transfer_Encoding: chunked", "0\r\n\r\n"),
        post("CL twice, different", "Content-Length: 0\r\nContent-Length: 30", ""),
        post("CL twice, the same", "Content-Length: 0\r\nContent-Length: 0", ""),
        post("CL list", "Content-Length: 0, 30", ""),
        post("CL list of the same", "Content-Length: 0, 0", ""),
        post("CL with a sign", "Content-Length: +0", ""),
        post("CL negative", "Content-Length: -1", ""),
        post("CL in hex", "Content-Length: 0x0", ""),
        post("CL of two words", "Content-Length: 0 30", ""),
        post("CL empty", "Content-Length:", ""),
        post("CL with a fraction", "Content-Length: 0.0", ""),
        post("CL beyond all bounds", "Content-Length: 99999999999999999999", ""),
        post("CL that wraps around", "Content-Length: 18446744073709551616", ""),
        post("CL with an underscore", "Content_Length: 30", ""),
        post("CL in other digits", "Content-Length: \u00b2", ""),
        post("CL before a blank", "Content-Length : 30", ""),
        post("a name with a blank", "X y: z", ""),
        post("a name with a control", "X\u0001y: z", ""),
        post("a name with a quote", "X\"y: z", ""),
        post("a name with brackets", "X(y): z", ""),
        post("a name with a slash", "X/y: z", ""),
        post("a name beyond ASCII", "X\u00fc: z", ""),
        post("no name", ": z", ""),
        post("no colon", "X", ""),
        post("NUL in a value", "X: y\u0000z", ""),
        post("NUL in a name", "X\u0000: z", ""),
        post("a return in a value", "X: y\rz", ""),
        post("a control in a value", "X: y\u0001z", ""),
        post("DEL in a value", "X: y\u007fz", ""),
        post("a line ended by LF", "X: y\nZ: z", ""),
        post("two hosts", "Host: b", ""),
        post("two hosts, the same", "Host: a", ""),
        post("a forwarding header with underscores", "X_Forwarded_For: 6.6.6.6", ""),
        post("half with underscores", "X-Forwarded_For: 6.6.6.6", ""),
        get(
            "TE in HTTP/1.0",
            "POST /outer HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"),
        get("a blank before the first header", "GET /outer HTTP/1.1\r\n Host: a\r\n"),
        get("lines ended by LF", "GET /outer HTTP/1.1\nHost: a\n"),
        get("a first line ended by LF", "GET /outer HTTP/1.1\nHost: a\r\n"),
        get("a blank at the end of the first line", "GET /outer HTTP/1.1 \r\nHost: a\r\n"),
        get("two blanks in the first line", "GET  /outer HTTP/1.1\r\nHost: a\r\n"),
        get("two blanks before the version", "GET /outer  HTTP/1.1\r\nHost: a\r\n"),
        get("a tab for a blank", "GET\t/outer HTTP/1.1\r\nHost: a\r\n"),
        get("a tab before the version", "GET /outer\tHTTP/1.1\r\nHost: a\r\n"),
        get("a vertical tab for a blank", "GET\u000b/outer HTTP/1.1\r\nHost: a\r\n"),
        get("a form feed for a blank", "GET /outer\fHTTP/1.1\r\nHost: a\r\n"),
        get("a return in the first line", "GET /outer\r HTTP/1.1\r\nHost: a\r\n"),
        get("a return for a blank", "GET\r/outer HTTP/1.1\r\nHost: a\r\n"),
        get("NUL before the first line", "\u0000GET /outer HTTP/1.1\r\nHost: a\r\n"),
        get("a blank before the first line", " GET /outer HTTP/1.1\r\nHost: a\r\n"),
        get("the preface of HTTP/2, begun", "PRI * HTTP/2.0\r\nGET /outer HTTP/1.1\r\nHost: a\r\n"),
        get("version 01.1", "GET /outer HTTP/01.1\r\nHost: a\r\n"),
        post("a folded line with NUL", "X: y\r\n \u0000z\u0000", ""),
        post("a folded line with nothing but NUL", "Content-Length: 0\r\n \u0000", ""),
        post("a folded line with a return", "X: y\r\n\tz\rA: b", ""),
        post("two expectations", "Expect: 100-continue\r\nExpect: 100-continue", ""),
        get("no version", "GET /outer\r\nHost: a\r\n"),
        get("version 0.9", "GET /outer HTTP/0.9\r\nHost: a\r\n"),
        get("version 1.2", "GET /outer HTTP/1.2\r\nHost: a\r\n"),
        get("version 2.0", "GET /outer HTTP/2.0\r\nHost: a\r\n"),
        get("version 1.10", "GET /outer HTTP/1.10\r\nHost: a\r\n"),
        get("version in small letters", "GET /outer http/1.1\r\nHost: a\r\n"),
        get("NUL in the target", "GET /outer\u0000 HTTP/1.1\r\nHost: a\r\n"),
        get("a blank in the target", "GET /outer /hidden HTTP/1.1\r\nHost: a\r\n"),
        get(
            "keys of an old WebSocket, which eat eight bytes",
            "GET /outer HTTP/1.1\r\nHost: a\r\nSec-WebSocket-Key1: 1\r\nSec-WebSocket-Key2: 2\r\n"),
        get(
            "one such key",
            "GET /outer HTTP/1.1\r\nHost: a\r\nSEC-WEBSOCKET-KEY2: 2\r\nUpgrade: websocket\r\n"),
        get("no host", "GET /outer HTTP/1.1\r\nX: y\r\n"),
        get(
            "a body for a GET by both",
            "GET /outer HTTP/1.1\r\n"
                + "Host: a\r\n"
                + "Content-Length: 9\r\n"
                + "Transfer-Encoding: chunked\r\n"));
  }
}
