package io.weir.server.gateway;

import io.vertx.core.http.HttpMethod;
import io.weir.server.Forwarding.ClientBounds;
import io.weir.server.wire.Wire;
import io.weir.server.wire.Wires;

/** A server to which {@link Wires} connect. */
final class WireUpstream extends Upstream {
  private final Wires wires;
  private final String host;

  /** Without connections. */
  WireUpstream(Origin origin, Wires wires, ClientBounds bounds, int most) {
    super(origin, bounds, most);
    this.wires = wires;
    this.host = host(origin);
  }

  /** The value of the Host header. */
  private static String host(Origin origin) {
    String name = origin.host().indexOf(':') >= 0 ? "[" + origin.host() + "]" : origin.host();
    return origin.port() == 80 ? name : name + ":" + origin.port();
  }

  @Override
  void take(HttpMethod method, String target, boolean isNew, Taker taker) {
    wires.take(
        isNew,
        new Wires.Taker() {
          @Override
          public void connected(Wire wire, boolean isFirst) {
            taker.connected(new WireLeg(wire, method, target, host), isFirst);
          }

          @Override
          public void notConnected(Throwable cause) {
            taker.notConnected(cause);
          }

          @Override
          public boolean isWaiting() {
            return taker.isWaiting();
          }
        });
  }
}
