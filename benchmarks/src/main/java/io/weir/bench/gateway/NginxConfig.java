package io.weir.bench.gateway;

import io.weir.bench.server.BenchmarkRequests;

/**
 * The configuration of nginx: one process with one event loop, which logs only errors and keeps all
 * connections on both sides open.
 */
final class NginxConfig {
  private NginxConfig() {}

  /** A server that responds to every request with the same small body. */
  static String upstream(int port) {
    return http(
        "default_type application/json;",
        port,
        "add_header X-Upstream yes; return 200 '%s';".formatted(BenchmarkRequests.BODY));
  }

  /** A proxy. */
  static String proxy(int port, int upstream) {
    return http(origin(upstream), port, forward(""));
  }

  /** A proxy that limits each client. */
  static String limiting(int port, int upstream, GatewayLimit gatewayLimit) {
    return http(
        origin(upstream) + gatewayLimit.nginxZone(), port, forward(gatewayLimit.nginxLimit()));
  }

  private static String origin(int upstream) {
    return """
        upstream api {
          server 127.0.0.1:%d;
          keepalive 64;
          keepalive_requests 1000000000;
          keepalive_timeout 1h;
        }
        """
        .formatted(upstream);
  }

  private static String forward(String limit) {
    return limit
        + """
          proxy_pass http://api;
          proxy_http_version 1.1;
          proxy_set_header Connection "";
        """;
  }

  private static String http(String more, int port, String location) {
    return """
        daemon off;
        master_process off;
        worker_processes 1;
        pid nginx.pid;
        error_log stderr error;
        events {
          worker_connections 1024;
        }
        http {
          access_log off;
          keepalive_requests 1000000000;
          keepalive_timeout 1h;
          client_body_temp_path temp;
          proxy_temp_path temp;
          fastcgi_temp_path temp;
          uwsgi_temp_path temp;
          scgi_temp_path temp;
          %s
          server {
            listen 127.0.0.1:%d;
            location / {
              %s
            }
          }
        }
        """
        .formatted(more, port, location);
  }
}
