package io.weir.server.rls;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.weir.ManualTime;
import io.weir.TimeSource;
import io.weir.decision.RuleSource;
import io.weir.rules.RuleSet;
import io.weir.rules.file.RuleFiles;
import io.weir.server.Server;
import io.weir.server.ServerSettings;
import io.weir.server.ServerSettingsBuilder;
import io.weir.server.rls.proto.descriptor.RateLimitDescriptor;
import io.weir.server.rls.proto.service.RateLimitRequest;
import io.weir.server.rls.proto.service.RateLimitResponse;
import io.weir.server.rls.proto.service.RateLimitResponse.DescriptorStatus;
import io.weir.server.rls.proto.service.RateLimitServiceGrpc;
import io.weir.server.rls.proto.service.RateLimitServiceGrpc.RateLimitServiceBlockingStub;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** A server with rules of the Envoy form, a manual clock, and a client that calls it like Envoy. */
final class Rls implements AutoCloseable {
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  final ManualTime time = TimeSource.manual();
  final Server server;
  final ManagedChannel channel;
  final RateLimitServiceBlockingStub stub;

  private Rls(ServerSettings serverSettings, RuleSource rules, long epochSecond) {
    time.set(Instant.ofEpochSecond(epochSecond));
    server = Server.builder(serverSettings.onFreePorts()).rules(rules).time(time).start();
    channel =
        NettyChannelBuilder.forAddress("127.0.0.1", server.servicePort()).usePlaintext().build();
    stub = RateLimitServiceGrpc.newBlockingStub(channel);
  }

  /** A server with these rule files, at one moment, and with settings. */
  static Rls of(long epochSecond, UnaryOperator<ServerSettingsBuilder> settings, String... files) {
    ServerSettings all = settings.apply(ServerSettings.builder()).build();
    return new Rls(all, RuleSource.of(rules(files)), epochSecond);
  }

  /** A server with the rules of a directory, as they change. */
  static Rls watching(Path directory) {
    return new Rls(ServerSettings.DEMO, RuleSource.of(List.of(directory)), 1234);
  }

  static Rls of(String... files) {
    return of(1234, settings -> settings, files);
  }

  static RuleSet rules(String... files) {
    try {
      Path directory = Files.createTempDirectory("weir-rls");
      List<Path> paths = new ArrayList<>();
      for (String file : files) {
        Path path = directory.resolve(paths.size() + ".yaml");
        paths.add(Files.writeString(path, file));
      }
      RuleSet rules = RuleFiles.load(paths);
      for (Path path : paths) {
        Files.delete(path);
      }
      Files.delete(directory);
      return rules;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A stub with a generous deadline: no test hangs. */
  RateLimitServiceBlockingStub patient() {
    return stub.withDeadlineAfter(30, TimeUnit.SECONDS);
  }

  RateLimitResponse call(RateLimitRequest request) {
    return patient().shouldRateLimit(request);
  }

  RateLimitResponse call(String domain, RateLimitDescriptor.Builder... descriptors) {
    return call(request(domain, descriptors).build());
  }

  static RateLimitRequest.Builder request(
      String domain, RateLimitDescriptor.Builder... descriptors) {
    RateLimitRequest.Builder request = RateLimitRequest.newBuilder().setDomain(domain);
    Stream.of(descriptors).forEach(request::addDescriptors);
    return request;
  }

  /** Entries in pairs of key and value. */
  static RateLimitDescriptor.Builder descriptor(String... keysAndValues) {
    RateLimitDescriptor.Builder descriptor = RateLimitDescriptor.newBuilder();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      descriptor.addEntriesBuilder().setKey(keysAndValues[i]).setValue(keysAndValues[i + 1]);
    }
    return descriptor;
  }

  static RateLimitDescriptor.Builder withHits(RateLimitDescriptor.Builder descriptor, long hits) {
    descriptor.getHitsAddendBuilder().setValue(hits);
    return descriptor;
  }

  /** {@code OK 5}, {@code OVER_LIMIT 0}: the code and what remains. */
  static String summary(DescriptorStatus status) {
    return status.getCode() + " " + Integer.toUnsignedLong(status.getLimitRemaining());
  }

  static List<String> summary(RateLimitResponse response) {
    return response.getStatusesList().stream().map(Rls::summary).toList();
  }

  HttpResponse<String> json(String body) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.servicePort() + "/json"))
            .timeout(Duration.ofSeconds(30))
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    try {
      return HTTP.send(request, HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    channel.shutdownNow();
    server.close();
  }
}
