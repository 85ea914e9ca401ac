/** An HTTP client that stays within the rate limits of the servers it calls. */
module io.weir.client {
  requires io.weir;
  requires transitive java.net.http;
  requires static org.jspecify;

  exports io.weir.client;
  exports io.weir.client.quota;
}
