package io.weir.server.gateway;

import io.weir.rig.Ports;
import io.weir.rig.Program;
import io.weir.rig.WebProxy;
import java.net.URI;
import java.util.Map;

/**
 * A real proxy in front of a {@link Recorder}, with two ports: one for the gateway, which it trusts
 * for the client's address, and one for clients.
 */
final class RecordedProxy implements AutoCloseable {
  private static final String NGINX =
      """
      pid nginx.pid;
      error_log stderr crit;
      worker_processes 1;
      events { worker_connections 1000; }
      http {
        client_body_temp_path body;
        proxy_temp_path proxy;
        fastcgi_temp_path fastcgi;
        uwsgi_temp_path uwsgi;
        scgi_temp_path scgi;
        access_log off;
        keepalive_timeout 1h;
        keepalive_requests 10000000;
        upstream recorder {
          server 127.0.0.1:RECORDER;
          keepalive 100;
          keepalive_timeout 1h;
          keepalive_requests 10000000;
        }
        proxy_http_version 1.1;
        server {
          listen 127.0.0.1:GATEWAY;
          location / {
            proxy_pass http://recorder;
            proxy_set_header Connection "";
            proxy_set_header X-Case $http_x_forwarded_for;
          }
        }
        server {
          listen 127.0.0.1:CLIENTS;
          location / {
            proxy_pass http://recorder;
            proxy_set_header Connection "";
            proxy_set_header X-Case $remote_addr;
          }
        }
      }
      """;

  private static final String HAPROXY =
      """
      defaults
        mode http
        timeout connect 10s
        timeout client 1h
        timeout server 1h
      frontend gateway
        bind 127.0.0.1:GATEWAY
        http-request set-header X-Case %[req.hdr(x-forwarded-for)]
        default_backend recorder
      frontend clients
        bind 127.0.0.1:CLIENTS
        http-request set-header X-Case %[src]
        default_backend recorder
      backend recorder
        http-reuse always
        server recorder 127.0.0.1:RECORDER
      """;

  private final Program program;
  private final int gateway = Ports.free();
  private final int clients = Ports.free();

  RecordedProxy(WebProxy kind, Recorder recorder) {
    String configuration =
        (kind == WebProxy.NGINX ? NGINX : HAPROXY)
            .replace("RECORDER", Integer.toString(recorder.port()))
            .replace("GATEWAY", Integer.toString(gateway))
            .replace("CLIENTS", Integer.toString(clients));
    program = kind.start(Map.of(kind.file(), configuration), clients);
  }

  /** For the gateway. */
  URI url() {
    return URI.create("http://127.0.0.1:" + gateway);
  }

  /** The port for clients. */
  int port() {
    return clients;
  }

  @Override
  public void close() {
    program.close();
  }
}
