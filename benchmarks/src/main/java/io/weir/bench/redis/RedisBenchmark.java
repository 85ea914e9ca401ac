package io.weir.bench.redis;

import io.weir.bench.program.Cores;
import io.weir.bench.program.RedisServer;
import io.weir.bench.redis.node.Allowance;
import io.weir.bench.redis.node.BareScript;
import io.weir.bench.rounds.MeasuredCase;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The bare script, driven by redis-benchmark: 64 calls in a write, over a few connections. */
final class RedisBenchmark implements MeasuredCase<Sample> {
  /** With fewer, Redis waits now and then; more bring no gain. */
  private static final int CONNECTIONS = 4;

  private static final int PIPELINE = 64;
  private static final Pattern RATE = Pattern.compile("([0-9.]+) requests per second");

  private final Path program;
  private final RedisServer server;
  private final Cores cores;
  private String digest = "";
  private int keys = 1;
  private Allowance allowance = Allowance.HOT;
  private double rate = 50_000;

  RedisBenchmark(Path program, RedisServer server, Cores cores) {
    this.program = program;
    this.server = server;
    this.cores = cores;
  }

  /** Sets the keys and the limit. */
  RedisBenchmark open(int keys, Allowance allowance) throws IOException {
    this.keys = keys;
    this.allowance = allowance;
    String script = new String(BareScript.text(), StandardCharsets.ISO_8859_1);
    digest = server.resp().say("SCRIPT", "LOAD", script);
    return this;
  }

  @Override
  public String label() {
    return "bare: smallest script by redis-benchmark";
  }

  @Override
  public void warmUp(int millis) throws IOException, InterruptedException {
    measure(Math.min(millis, 500));
    measure(Math.min(millis, 500));
  }

  @Override
  public Sample measure(int millis) throws IOException, InterruptedException {
    double cpu = server.cpuMicros();
    RedisServer.ScriptCalls before = server.scriptCalls();
    rate = run(Math.max(CONNECTIONS * PIPELINE, (long) (rate * millis / 1000)));
    long calls = server.scriptCalls().since(before).calls();
    return new Sample(rate, Double.NaN, (server.cpuMicros() - cpu) / calls, rate, 0);
  }

  private double run(long calls) throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(
            List.of(
                program.toString(),
                "-p",
                "" + server.port(),
                "-n",
                "" + calls,
                "-P",
                "" + PIPELINE,
                "-c",
                "" + CONNECTIONS,
                "-q"));
    if (keys > 1) {
      command.addAll(List.of("-r", "" + keys));
    }
    command.addAll(
        List.of(
            "EVALSHA",
            digest,
            "1",
            keys > 1 ? "bare:{user-__rand_int__}" : "bare:{user-0}",
            "" + allowance.microsPerPermit(),
            "" + allowance.microsPerBurst()));
    Process process = new ProcessBuilder(cores.atClient(command)).redirectErrorStream(true).start();
    String output =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
    Matcher matcher = RATE.matcher(output);
    if (process.waitFor() != 0 || !matcher.find()) {
      throw new IOException("redis-benchmark: " + output.strip());
    }
    return Double.parseDouble(matcher.group(1));
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
