package io.weir.bench.server;

import io.weir.bench.load.ExpectedResponse;
import io.weir.bench.load.RequestTemplate;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;

/** The requests of clients: the same small request, each client with its own API key. */
public final class BenchmarkRequests {
  /** The body of the server behind the gateways. */
  public static final String BODY =
      "{\"id\":4711,\"state\":\"shipped\",\"items\":3,\"total\":\"129.90\",\"currency\":\"EUR\"}";

  /** A header of that response, which shows that a gateway forwarded the request. */
  public static final String FROM_UPSTREAM = "x-upstream";

  private static final int OK = 200;
  private static final int TOO_MANY = 429;

  private BenchmarkRequests() {}

  /**
   * All requests reach the server behind.
   *
   * @param header a header that the response must have as well
   */
  public static RequestTemplate allowed(int clients, String header) {
    return template(clients, new ExpectedResponse(OK, 0, header, BODY));
  }

  /**
   * All requests reach a server that responds itself.
   *
   * @param header a header that the response must have
   * @param body the beginning of the body
   */
  public static RequestTemplate responded(int clients, String header, String body) {
    return template(clients, new ExpectedResponse(OK, 0, header, body));
  }

  /** Nearly all requests are refused: now and then a permit is available again. */
  public static RequestTemplate refused(int clients, String header) {
    return template(clients, new ExpectedResponse(TOO_MANY, OK, header, ""));
  }

  private static RequestTemplate template(int clients, ExpectedResponse expectedResponse) {
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
    return new RequestTemplate(RequestTemplate.Protocol.HTTP, "", requests, expectedResponse);
  }
}
