# A load for soak.sh: each line N on stdin is N calls; the answer is the number of exceptions
# among them, and a checksum.
def step(n, total)
  (total * 31 + n) & 0xffffffff
end

$stdout.sync = true
puts "ready #{$$} 20000"
while (line = $stdin.gets)
  count = line.to_i
  raised = 0
  total = 1
  count.times do |n|
    total = step(n, total)
    next unless n % 100 == 0
    begin
      raised += 1
      kept = [n.to_s, { n => nil }]
      raise kept.first
    rescue RuntimeError => e
      total += e.message.to_i & 1
    end
  end
  GC.start if count % 3 == 0
  puts "#{raised} #{total}"
end
