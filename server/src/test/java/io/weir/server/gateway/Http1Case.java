package io.weir.server.gateway;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/**
 * One to three HTTP/1 requests for one connection, made from a seed: valid ones, or ones with a few
 * defects in what frames them.
 *
 * <p>Half of the bodies are requests themselves. A server that misses the header of such a body
 * reads the body as the next request. A server that finds a header that is not there reads the next
 * request as a body. So a difference in framing shows in the requests that are seen, and not only
 * in their bytes.
 */
final class Http1Case {
  /** The last request, which ends the connection if the framing was understood. */
  static final byte[] LAST =
      "GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".getBytes(ISO_8859_1);

  private static final String LINE = "\r\n";
  private static final List<String> METHODS =
      List.of("GET", "GET", "POST", "POST", "POST", "PUT", "HEAD", "DELETE", "OPTIONS", "PATCH");
  private static final List<String> TARGETS =
      List.of("", "?q=1", "/x", ";p=1", "%61", "//y", "/./z");
  private static final List<String> VALUES =
      List.of("text/plain", "a, b", "\"quoted \\\" text\"", "", "a\tb", "\u00fc");
  private static final List<String> NAMES =
      List.of("Accept", "Cookie", "User-Agent", "X-Odd.Name_1", "TE", "Trailer", "Content-Type");

  private final Random random;
  private final List<Request> requests = new ArrayList<>();

  /** A line of a head: {@code name separator value end}. */
  private static final class Field {
    String name;
    String separator = ": ";
    String value;
    String end = LINE;

    Field(String name, String value) {
      this.name = name;
      this.value = value;
    }

    @Override
    public String toString() {
      return name + separator + value + end;
    }
  }

  private static final class Request {
    String method;
    String target;
    String version = "HTTP/1.1";
    String before = "";
    String gap = " ";
    String end = LINE;
    final List<Field> fields = new ArrayList<>();
    String body = "";

    @Override
    public String toString() {
      StringBuilder text = new StringBuilder(before);
      text.append(method).append(gap).append(target).append(' ').append(version).append(end);
      fields.forEach(text::append);
      return text.append(LINE).append(body).toString();
    }
  }

  private Http1Case(Random random) {
    this.random = random;
  }

  /** The bytes for a seed, always the same. */
  static byte[] of(long seed) {
    Random random = new Random(seed * 0x9E3779B97F4A7C15L);
    return new Http1Case(random).make();
  }

  private byte[] make() {
    int count = 1 + random.nextInt(3);
    for (int i = 1; i <= count; i++) {
      requests.add(valid(i));
    }
    int defects = oneIn(3) ? 0 : oneIn(4) ? 2 : 1;
    for (int i = 0; i < defects; i++) {
      damage(pick(requests));
    }
    StringBuilder text = new StringBuilder();
    requests.forEach(text::append);
    byte[] bytes = text.toString().getBytes(ISO_8859_1);
    if (oneIn(12)) {
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
    }
    return bytes;
  }

  private Request valid(int number) {
    Request request = new Request();
    request.method = pick(METHODS);
    request.target = (oneIn(8) ? "/refused/r" : "/r") + number + pick(TARGETS);
    request.fields.add(new Field("Host", "a"));
    for (int i = random.nextInt(3); i > 0; i--) {
      request.fields.add(
          random.nextInt(request.fields.size() + 1), new Field(pick(NAMES), pick(VALUES)));
    }
    if (oneIn(15)) {
      request.fields.add(
          new Field(
              "Connection",
              pick(List.of("keep-alive", "close", "Close", "x, close", "close,x", "x"))));
    }
    boolean hasBody = !oneIn(3) && !List.of("GET", "HEAD").contains(request.method) || oneIn(12);
    if (hasBody) {
      String content =
          random.nextBoolean()
              ? "GET /hidden" + number + " HTTP/1.1\r\nHost: a\r\n\r\n"
              : "b".repeat(random.nextInt(40));
      boolean isChunked = random.nextBoolean();
      Field framing =
          isChunked
              ? new Field("Transfer-Encoding", "chunked")
              : new Field("Content-Length", Integer.toString(content.length()));
      request.fields.add(random.nextInt(request.fields.size() + 1), framing);
      request.body = isChunked ? chunks(content) : content;
      if (oneIn(20)) {
        request.fields.add(new Field("Expect", "100-continue"));
      }
    }
    return request;
  }

  /** In one to three chunks, now and then with extensions, odd sizes and trailers. */
  private String chunks(String content) {
    StringBuilder body = new StringBuilder();
    int at = 0;
    while (at < content.length()) {
      int size = oneIn(2) ? content.length() - at : 1 + random.nextInt(content.length() - at);
      String hex = Integer.toHexString(size);
      String odd =
          switch (random.nextInt(8)) {
            case 0 -> hex.toUpperCase(Locale.ROOT);
            case 1 -> "000" + hex;
            case 2 -> hex + pick(List.of(";a", ";a=b", ";a=\"b c\"", " ;a=b", ";a = b"));
            default -> hex;
          };
      body.append(odd).append(LINE).append(content, at, at + size).append(LINE);
      at += size;
    }
    String trailer =
        oneIn(6) ? pick(List.of("X-Sum: 1", "Content-Length: 3", "Host: b")) + LINE : "";
    return body.append('0').append(LINE).append(trailer).append(LINE).toString();
  }

  private void damage(Request request) {
    switch (random.nextInt(14)) {
      case 0, 1, 2 -> {
        Field framing = framing(request);
        framing.name = oneByteOff(framing.name);
      }
      case 3 -> {
        Field framing = framing(request);
        framing.name = randomCase(framing.name);
        framing.value = randomCase(framing.value);
      }
      case 4 -> {
        Field field = pick(request.fields);
        field.separator =
            pick(List.of(":", ":  ", ":\t", " : ", "\t:", " :", ": \u000b", ":\r\n ", ":\r\n\t"));
      }
      case 5 -> {
        Field field = pick(request.fields);
        field.value +=
            pick(
                List.of(
                    " ", "\t", "  \t", "\u000c", "\r\n folded", "\r\n\tfolded", "\u0000", "\r"));
      }
      case 6 -> pick(request.fields).end = pick(List.of("\n", "\r", "\r\r\n", "\n\r\n", "\r\n "));
      case 7 -> {
        Field copy = pick(request.fields);
        Field again = new Field(oneIn(3) ? randomCase(copy.name) : copy.name, copy.value);
        request.fields.add(random.nextInt(request.fields.size() + 1), again);
      }
      case 8 -> damageLength(request);
      case 9 -> damageEncoding(request);
      case 10 -> damageChunks(request);
      case 11, 12 -> damageFirstLine(request);
      default ->
          request.fields.add(
              random.nextInt(request.fields.size() + 1),
              pick(
                  List.of(
                      new Field("Content-Length", "0"),
                      new Field("Content-Xength", "33"),
                      new Field("Transfer-Encoding", "chunked"),
                      new Field("Transfer-Xncoding", "chunked"),
                      new Field("Content_Length", "7"),
                      new Field("Connection", "close, Content-Length"),
                      new Field("Connection", "Transfer-Encoding"),
                      new Field("Proxy-Connection", "close"),
                      new Field("Keep-Alive", "timeout=1"),
                      new Field("Upgrade", "h2c"),
                      new Field("Expect", "100-continue"),
                      new Field("Expect", "x"),
                      new Field("Host", "b"),
                      new Field("X-Forwarded-For", "127.9.9.9"))));
    }
  }

  /** A header that decides where the request ends; else any. */
  private Field framing(Request request) {
    List<Field> framing =
        request.fields.stream()
            .filter(each -> each.name.matches("(?i)content-length|transfer-encoding"))
            .toList();
    return framing.isEmpty() || oneIn(5) ? pick(request.fields) : pick(framing);
  }

  private String oneByteOff(String name) {
    if (name.isEmpty()) {
      return name;
    }
    int at = random.nextInt(name.length());
    String other =
        switch (random.nextInt(6)) {
          case 0 -> "";
          case 1 -> name.substring(at, at + 1).repeat(2);
          case 2 -> Character.toString((char) (name.charAt(at) ^ 1 << random.nextInt(8)));
          default -> Character.toString((char) ('a' + random.nextInt(26)));
        };
    return name.substring(0, at) + other + name.substring(at + 1);
  }

  private String randomCase(String text) {
    StringBuilder other = new StringBuilder();
    for (char c : text.toCharArray()) {
      other.append(oneIn(2) ? Character.toUpperCase(c) : Character.toLowerCase(c));
    }
    return other.toString();
  }

  private void damageLength(Request request) {
    for (Field field : request.fields) {
      if (field.name.equals("Content-Length")) {
        int length = Integer.parseInt(field.value.strip().replaceAll("[^0-9]", ""));
        field.value =
            switch (random.nextInt(12)) {
              case 0 -> "+" + length;
              case 1 -> "-" + length;
              case 2 -> "0" + length;
              case 3 -> length + "," + length;
              case 4 -> length + ", 0";
              case 5 -> "0x" + Integer.toHexString(length);
              case 6 -> Integer.toString(length + 1);
              case 7 -> Integer.toString(Math.max(0, length - 1));
              case 8 -> length + " 1";
              case 9 -> "";
              case 10 -> length + ".0";
              default -> "0000000000000000000" + length;
            };
        return;
      }
    }
    request.fields.add(new Field("Content-Length", Integer.toString(random.nextInt(40))));
  }

  private void damageEncoding(Request request) {
    for (Field field : request.fields) {
      if (field.name.equals("Transfer-Encoding")) {
        field.value =
            pick(
                List.of(
                    "identity",
                    "chunked, chunked",
                    "gzip, chunked",
                    ", chunked",
                    "chunked,",
                    "chunked;q=1",
                    "xchunked",
                    "chunke",
                    "\"chunked\"",
                    "chunked, identity",
                    "",
                    "CHUNKED"));
        return;
      }
    }
    request.fields.add(new Field("Transfer-Encoding", "chunked"));
  }

  private void damageChunks(Request request) {
    int at = request.body.indexOf(LINE);
    if (at < 0) {
      request.body += pick(List.of(LINE, "\n", "x", " "));
      return;
    }
    String size = request.body.substring(0, at);
    String rest = request.body.substring(at);
    request.body =
        switch (random.nextInt(12)) {
          case 0 -> size + rest.replaceFirst("\r\n", "\n");
          case 1 -> size + pick(List.of(" ", "\t", "\r", ";", ";\u0001", "x", "\u0000")) + rest;
          case 2 -> pick(List.of(" ", "+", "-", "0x", "\t", "\n", "1")) + size + rest;
          case 3 -> size + rest.replaceAll("\r\n$", "");
          case 4 -> size + rest.replaceAll("0\r\n", "00\r\n");
          case 5 -> size + rest.replaceAll("\r\n0\r\n", "0\r\n");
          case 6 -> size + rest.replaceAll("0\r\n", "0;a=b\r\n");
          case 7 -> size + rest.replaceAll("0\r\n\r\n$", "0\r\nContent-Length: 9\r\n\r\n");
          case 8 ->
              size + rest.replaceAll("0\r\n\r\n$", "0\r\nGET /trailer HTTP/1.1\r\nHost: a\r\n\r\n");
          case 9 -> size + rest.replaceAll("0\r\n\r\n$", "0\n\n");
          case 10 -> "1" + "0".repeat(8 + random.nextInt(12)) + size + rest;
          default -> size + rest + LINE;
        };
  }

  private void damageFirstLine(Request request) {
    String path = request.target;
    switch (random.nextInt(10)) {
      case 0 -> request.target = "http://a" + path;
      case 1 ->
          request.target =
              pick(List.of("HTTP://A", "https://a", "http://b", "http://a:80", "http://")) + path;
      case 2 ->
          request.target = pick(List.of("http://a", "http://a?q", "*", "a", "", "a:443", "?q"));
      case 3 ->
          request.version =
              pick(
                  List.of(
                      "HTTP/1.0",
                      "HTTP/1.2",
                      "http/1.1",
                      "HTTP/2.0",
                      "HTTP/1.1 ",
                      "HTTP/01.1",
                      ""));
      case 4 -> request.gap = pick(List.of("  ", "\t", " \t", "\u000b", "\r", "\u000c ", ""));
      case 5 -> request.before = pick(List.of(LINE, "\n", LINE + LINE, " ", "\r", "\t"));
      case 6 -> request.end = pick(List.of("\n", "\r", " \r\n", "\r\r\n", "\r\n "));
      case 7 ->
          request.method =
              pick(List.of("get", "FOO", "GET.", "P\u00d6ST", "TRACE", "GE T", "", "PRI"));
      case 8 ->
          request.target =
              path
                  + pick(
                      List.of(
                          "#f", "\\x", "%", "%00", "\u00fc", "%2F", " x", "\u0001", "/../up",
                          "\""));
      default -> {
        request.version = "HTTP/1.0";
        request.fields.add(new Field("Connection", "keep-alive"));
      }
    }
  }

  private boolean oneIn(int n) {
    return random.nextInt(n) == 0;
  }

  private <T> T pick(List<T> from) {
    return from.get(random.nextInt(from.size()));
  }
}
