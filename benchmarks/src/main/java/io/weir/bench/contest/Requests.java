package io.weir.bench.contest;

import io.weir.bench.load.Expected;
import io.weir.bench.load.Question;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;

/** What clients ask: the same small thing, each with its own API key. */
public final class Requests {
  /** What the server behind the gateways answers. */
  public static final String BODY =
      "{\"id\":4711,\"state\":\"shipped\",\"items\":3,\"total\":\"129.90\",\"currency\":\"EUR\"}";

  /** A header of that answer: whoever passes it on has asked. */
  public static final String FROM_UPSTREAM = "x-upstream";

  private static final int OK = 200;
  private static final int TOO_MANY = 429;

  private Requests() {}

  /**
   * All are answered by the server behind.
   *
   * @param header what the answer must have, too
   */
  public static Question allowed(int clients, String header) {
    return question(clients, new Expected(OK, 0, header, BODY));
  }

  /**
   * All are answered by a server that makes its own answers.
   *
   * @param header what the answer must have
   * @param body how it begins
   */
  public static Question answered(int clients, String header, String body) {
    return question(clients, new Expected(OK, 0, header, body));
  }

  /** Nearly all are refused: now and then there is a permit again. */
  public static Question refused(int clients, String header) {
    return question(clients, new Expected(TOO_MANY, OK, header, ""));
  }

  private static Question question(int clients, Expected expected) {
    List<byte[]> requests =
        IntStream.range(0, clients)
            .mapToObj(
                client ->
                    """
                    GET /api/v1/orders/%d HTTP/1.1\r
                    Host: api.example.com\r
                    User-Agent: bench/1\r
                    Accept: application/json\r
                    X-API-Key: key-%05d\r
                    \r
                    """
                        .formatted(client % 100, client)
                        .getBytes(StandardCharsets.US_ASCII))
            .toList();
    return new Question(Question.Protocol.HTTP, "", requests, expected);
  }
}
