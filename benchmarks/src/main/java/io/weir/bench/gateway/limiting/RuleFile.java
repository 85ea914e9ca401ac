package io.weir.bench.gateway.limiting;

/** Rules for the benchmark's requests; no request is ever refused. */
public enum RuleFile {
  /** A token bucket for each client. */
  ONE(
      "1 rule",
      """
      attributes:
        api_key: { header: X-API-Key }
      rules:
        - { name: client, per: api_key, limit: 1000000 per second }
      """),
  /** Two of them apply to every request of the benchmark. */
  FIVE(
      "5 rules, of which 2 apply",
      """
      attributes:
        api_key: { header: X-API-Key }
      rules:
        - name: login
          match: { method: POST, path: /api/v1/login }
          per: ip
          limit: { algorithm: sliding-log, rate: 5 per minute }
        - { name: client, per: api_key, limit: 1000000 per second }
        - name: orders
          match: { method: GET, path: "/api/v1/orders/{id}" }
          per: ip
          limit: 1000000 per second
        - { name: office, match: { ip: 10.0.0.0/8 }, per: ip, limit: 10 per second }
        - { name: admin, match: { path: /admin/** }, per: ip, limit: 1 per second }
      """);

  private final String label;
  private final String text;

  RuleFile(String label, String text) {
    this.label = label;
    this.text = text;
  }

  String label() {
    return label;
  }

  String text() {
    return text;
  }
}
