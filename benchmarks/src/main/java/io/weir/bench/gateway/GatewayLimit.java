package io.weir.bench.gateway;

/** A limit for each client, in the configuration of each gateway. */
enum GatewayLimit {
  /** So large that no request is ever refused. */
  PLENTY("rate=1000000r/s", "burst=1000000", "1000000 per second", "1000000 1000000 1"),
  /** One request a minute, the least that nginx supports. */
  SCARCE("rate=1r/m", "", "1 per minute", "1 60 60");

  private final String nginxRate;
  private final String nginxBurst;
  private final String weir;
  private final String spring;

  GatewayLimit(String nginxRate, String nginxBurst, String weir, String spring) {
    this.nginxRate = nginxRate;
    this.nginxBurst = nginxBurst;
    this.weir = weir;
    this.spring = spring;
  }

  /** The zone, for nginx. */
  String nginxZone() {
    return "limit_req_zone $http_x_api_key zone=client:16m %s;".formatted(nginxRate);
  }

  /** The limit in an nginx location, without delay and without logging. */
  String nginxLimit() {
    return "limit_req zone=client %s nodelay; limit_req_status 429; limit_req_log_level info;"
        .formatted(nginxBurst);
  }

  /** The rules of Weir. */
  String rules() {
    return """
        attributes:
          api_key: { header: X-API-Key }
        rules:
          - name: client
            per: api_key
            limit: %s
        """
        .formatted(weir);
  }

  /** Tokens per second, burst, and tokens per request, for Spring Cloud Gateway. */
  String[] spring() {
    return spring.split(" ");
  }
}
