package io.weir.redis;

import io.weir.redis.RedisFailure.Kind;
import io.weir.redis.RedisSettings.Login;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The handshake on a new connection before any call: authenticates, loads the scripts and inspects
 * the server.
 */
// Futures are ignored where the reply makes no difference.
@SuppressWarnings("FutureReturnValueIgnored")
final class RespHandshake {
  private static final byte[] SCRIPT = "SCRIPT".getBytes(StandardCharsets.US_ASCII);
  private static final String REPLICATION = "replication";
  private static final byte[] LOAD = "LOAD".getBytes(StandardCharsets.US_ASCII);

  private final String clientName;
  private final Supplier<List<Script>> scripts;
  private final Consumer<ServerReport> reports;

  RespHandshake(String clientName, Supplier<List<Script>> scripts, Consumer<ServerReport> reports) {
    this.clientName = clientName;
    this.scripts = scripts;
    this.reports = reports;
  }

  /** Authenticates; fails if the server refuses, or cannot accept now. */
  CompletableFuture<RespConnection> greet(
      RespConnection respConnection, Login login, int database) {
    List<CompletableFuture<@Nullable Object>> replies = new ArrayList<>();
    if (!login.user().isEmpty()) {
      replies.add(respConnection.execute("AUTH", login.user(), login.password()));
    } else if (!login.password().isEmpty()) {
      replies.add(respConnection.execute("AUTH", login.password()));
    }
    if (database > 0) {
      replies.add(respConnection.execute("SELECT", Integer.toString(database)));
    }
    replies.add(respConnection.execute("PING"));
    // The name is optional; an error is ignored.
    respConnection.execute("CLIENT", "SETNAME", clientName);
    return all(replies)
        .thenApply(
            done -> {
              for (CompletableFuture<@Nullable Object> each : replies) {
                if (each.join() instanceof ErrorReply error) {
                  throw new TransportException(
                      new RedisFailure(
                          error.redisFailure().kind(),
                          "cannot connect to " + respConnection.server() + ": " + error.text()));
                }
              }
              return respConnection;
            });
  }

  private static CompletableFuture<@Nullable Void> all(
      List<? extends CompletableFuture<?>> futures) {
    return CompletableFuture.allOf(futures.toArray(new CompletableFuture<?>[0]));
  }

  /** Loads the scripts and inspects the server; refuses one that cannot be written to. */
  CompletableFuture<RespConnection> prepare(RespConnection respConnection) {
    for (Script script : scripts.get()) {
      // Without permission to load, the first call of each script sends its text.
      respConnection.execute(SCRIPT, LOAD, script.text());
    }
    return look(respConnection);
  }

  /** Inspects the server; refuses one that cannot be written to. */
  CompletableFuture<RespConnection> look(RespConnection respConnection) {
    List<CompletableFuture<?>> replies = new ArrayList<>();
    Map<String, String> info = new HashMap<>();
    for (String section : List.of("server", "memory", REPLICATION)) {
      replies.add(
          respConnection
              .execute("INFO", section)
              .thenAccept(reply -> collect(section, reply, info)));
    }
    return all(replies)
        .thenApply(
            done -> {
              if ("slave".equals(info.get("role"))) {
                String why = respConnection.server() + " is a replica, not the primary";
                throw new TransportException(new RedisFailure(Kind.READ_ONLY, why));
              }
              reports.accept(report(respConnection.server(), info));
              return respConnection;
            });
  }

  /** All fields, and the complete text under the section's name. */
  private static void collect(String section, @Nullable Object reply, Map<String, String> info) {
    if (reply instanceof String text) {
      info.put(section, text);
      text.lines()
          .forEach(
              line -> {
                int colon = line.indexOf(':');
                if (colon > 0) {
                  info.put(line.substring(0, colon), line.substring(colon + 1).strip());
                }
              });
    }
  }

  private static ServerReport report(String server, Map<String, String> info) {
    return new ServerReport(
        server,
        info.getOrDefault("valkey_version", info.getOrDefault("redis_version", "")),
        number(info, "maxmemory", 0),
        info.getOrDefault("maxmemory_policy", ""),
        info.getOrDefault("run_id", ""),
        number(info, "uptime_in_seconds", -1),
        replicas(info));
  }

  private static long replicas(Map<String, String> info) {
    String replication = info.getOrDefault(REPLICATION, "");
    return replication.contains("master_replid:")
        ? ReplicationInfo.parse(replication).replicas()
        : -1;
  }

  private static long number(Map<String, String> info, String name, long otherwise) {
    String text = info.getOrDefault(name, "");
    return text.matches("\\d{1,18}") ? Long.parseLong(text) : otherwise;
  }
}
