import java.io.*;
import java.util.*;

/**
 * A load for soak.sh: each line N on stdin is N threads, one after the other; the answer is N and the
 * checksum of what they computed. Two more threads allocate and want each other's lock all the while.
 */
public class Load {
	static volatile Object sink;
	static long total;

	static void allocate() {
		Random random = new Random();
		List<Object> kept = new ArrayList<>();
		for (;;) {
			kept.add(new byte[random.nextInt(2000)]);
			if (kept.size() > 2000)
				kept = new ArrayList<>();
			synchronized (Load.class) {
				sink = kept;
			}
		}
	}

	static void step(long n) {
		try {
			throw new IllegalStateException(Long.toString(n));
		} catch (IllegalStateException e) {
			total = (total * 31 + Long.parseLong(e.getMessage())) & 0xffffffffL;
		}
	}

	public static void main(String[] arguments) throws Exception {
		BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
		for (int i = 0; i < 2; i++) {
			Thread thread = new Thread(Load::allocate);
			thread.setDaemon(true);
			thread.start();
		}
		System.out.println("ready " + ProcessHandle.current().pid() + " 200");
		for (String line; (line = in.readLine()) != null;) {
			long count = Long.parseLong(line);
			total = 1;
			for (long n = 0; n < count; n++) {
				final long number = n;
				Thread thread = new Thread(() -> step(number));
				thread.start();
				thread.join();
				Thread.yield();
				Thread.sleep(0, 1);
			}
			System.out.println(count + " " + total);
		}
	}
}
