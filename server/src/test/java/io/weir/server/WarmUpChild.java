package io.weir.server;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;

/**
 * A process with a server. Arguments: whether it is warmed up, its admin port, and for TLS the
 * files of certificate, key and client authority. For each byte that it is sent it prints how many
 * classes it has loaded.
 */
final class WarmUpChild {
  private WarmUpChild() {}

  public static void main(String[] args) throws Exception {
    ServerSettingsBuilder settings =
        ServerSettings.DEMO.onFreePorts().toBuilder().adminPort(Integer.parseInt(args[1]));
    if (args.length > 2) {
      settings.tlsCertificate(Path.of(args[2])).tlsKey(Path.of(args[3]));
      settings.gatewayTlsCertificate(Path.of(args[2])).gatewayTlsKey(Path.of(args[3]));
      settings.tlsClientCa(Path.of(args[4]));
    }
    long begun = System.nanoTime();
    try (Server server =
        Server.builder(settings.build()).warmedUp(Boolean.parseBoolean(args[0])).start()) {
      long millis = (System.nanoTime() - begun) / 1_000_000;
      System.out.println(
          "started " + server.gatewayPort() + " " + server.servicePort() + " " + millis);
      while (System.in.read() >= 0) { // until its parent has gone
        System.out.println(ManagementFactory.getClassLoadingMXBean().getTotalLoadedClassCount());
      }
    }
  }
}
